#include "simulate/plan_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpgrade::run {
namespace {

using simt::Access;
using streams::join;

// Older operations are forgotten, as `simt run` does it, so that a launcher that never waits costs no more than this.
constexpr std::size_t most_open = 256, most_open_ranges = 1 << 21;

std::size_t ranges_in(const simt::Footprint &footprint) {
  std::size_t all = 0;
  for (const auto &ranges : footprint) all += ranges.size();
  return all;
}

bool writes(Access access) {
  return access == Access::write || access == Access::strong_write;
}

/// Whether two accesses to the same bytes need an order.
bool clash(Access a, Access b) {
  const auto strong = [](Access t) { return t == Access::strong_read || t == Access::strong_write; };
  return (writes(a) || writes(b)) && !(strong(a) && strong(b));
}

constexpr Access all_accesses[] = {Access::read, Access::write, Access::strong_read, Access::strong_write};

std::optional<std::uint64_t> first_common(const std::vector<simt::AddressRange> &a,
                                          const std::vector<simt::AddressRange> &b) {
  auto x = a.begin(), y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (std::max(x->begin, y->begin) < std::min(x->end, y->end)) return std::max(x->begin, y->begin);
    x->end <= y->end ? ++x : ++y;
  }
  return std::nullopt;
}

}  // namespace

std::vector<simt::AddressRange> ranges_of(std::uint64_t begin, std::uint64_t width, std::uint64_t rows,
                                          std::uint64_t pitch) {
  if (width == 0 || rows == 0) return {};
  if (rows == 1 || pitch == width) return {{begin, begin + width * rows}};
  std::vector<simt::AddressRange> all;
  for (std::uint64_t row = 0; row < rows; ++row)
    all.push_back({begin + row * pitch, begin + row * pitch + width});
  return all;
}

PlanOrder::PlanOrder(const plan::LaunchPlan &plan, std::function<std::string(std::uint64_t)> buffer_at)
    : streams_(plan.streams),
      buffer_at_(std::move(buffer_at)),
      counts_(streams_.size()),
      known_(streams_.size()) {}

/// Those of the devices come first, in order.
bool PlanOrder::is_default(std::uint32_t stream) const {
  return stream == streams_[stream].device;
}

/// What comes before the next operation of a stream.
PlanOrder::Clock &PlanOrder::before(std::uint32_t stream) {
  Clock &known = known_[stream];
  join(known, host_);
  if (const auto copied = copied_.find(streams_[stream].device); copied != copied_.end())
    join(known, copied->second);
  const auto [device, blocking] = streams_[stream];
  const auto after_all_of = [&](std::uint32_t other) {
    if (other == stream) return;
    join(known, Clock(known_[other]));
    std::uint64_t &ended = known[other];
    ended = std::max(ended, counts_[other]);
  };
  if (is_default(stream)) {
    for (std::uint32_t other = 0; other < streams_.size(); ++other)
      if (streams_[other].device == device && streams_[other].blocking) after_all_of(other);
  } else if (blocking) {
    after_all_of(device);
  }
  return known;
}

/// What has ended once all operations of a stream have.
PlanOrder::Clock PlanOrder::after(std::uint32_t stream) {
  Clock all = before(stream);
  all[stream] = std::max(all[stream], counts_[stream]);
  return all;
}

PlanOrder::Clock PlanOrder::after_all_of(std::uint8_t device) {
  Clock all;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream)
    if (streams_[stream].device == device) join(all, after(stream));
  return all;
}

void PlanOrder::begin_copy_between(std::uint8_t to, std::uint8_t from) {
  if (!is_default(now_)) return;
  for (const std::uint8_t device : {to, from}) join(known_[now_], after_all_of(device));
}

void PlanOrder::end_copy_between(std::uint8_t to, std::uint8_t from) {
  if (!is_default(now_)) return;
  const Clock all = after(now_);
  for (const std::uint8_t device : {to, from}) join(copied_[device], all);
}

void PlanOrder::record(std::uint32_t event) {
  events_[event] = after(now_);
}

void PlanOrder::wait(std::uint32_t event) {
  if (const auto found = events_.find(event); found != events_.end()) join(known_[now_], found->second);
}

void PlanOrder::host_waits(const plan::HostWaits &o) {
  switch (o.what) {
    case plan::HostWaits::For::device:
      join(host_, after_all_of(static_cast<std::uint8_t>(o.number)));
      break;
    case plan::HostWaits::For::stream:
      join(host_, after(o.number));
      break;
    case plan::HostWaits::For::event:
      if (const auto found = events_.find(o.number); found != events_.end()) join(host_, found->second);
      break;
  }
  std::erase_if(open_, [this](const Done &one) {
    const auto at = host_.find(one.stream);
    if (at == host_.end() || at->second < one.number) return false;
    open_ranges_ -= ranges_in(one.footprint);
    return true;
  });
}

void PlanOrder::host_waits_for_all() {
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream)
    host_waits({plan::HostWaits::For::stream, stream});
}

std::optional<Conflict> PlanOrder::access(const std::string &what, std::size_t operation,
                                          simt::Footprint footprint) {
  const Clock known = before(now_);
  last_ = {++counts_[now_], known};
  Done now{now_, counts_[now_], what, operation, std::move(footprint)};
  std::optional<Conflict> found;
  for (const Done &earlier : open_) {
    const auto at = known.find(earlier.stream);
    const bool ordered = earlier.stream == now.stream || (at != known.end() && at->second >= earlier.number);
    if (!ordered && !found) found = conflict(now, earlier);
  }
  open_ranges_ += ranges_in(now.footprint);
  open_.push_back(std::move(now));
  while (open_.size() > most_open || open_ranges_ > most_open_ranges) {
    open_ranges_ -= ranges_in(open_.front().footprint);
    open_.pop_front();
  }
  return found;
}

std::string PlanOrder::name_of(std::uint32_t stream) const {
  const unsigned device = streams_[stream].device;
  return is_default(stream) ? fmt::format("the default stream of device {}", device)
                            : fmt::format("stream {} of device {}", stream, device);
}

std::optional<Conflict> PlanOrder::conflict(const Done &now, const Done &earlier) const {
  for (const Access mine : all_accesses)
    for (const Access other : all_accesses) {
      if (!clash(mine, other)) continue;
      const auto at = first_common(now.footprint[static_cast<std::size_t>(mine)],
                                   earlier.footprint[static_cast<std::size_t>(other)]);
      if (!at) continue;
      constexpr std::string_view cure =
          "Record an event after the first (cudaEventRecord) and let the second stream wait for it "
          "(cudaStreamWaitEvent)";
      Conflict found{{}, earlier.operation, now.operation};
      simt::Diagnostic &d = found.diagnostic;
      d.code = simt::Code::race;
      d.buffer = buffer_at_(*at);
      if (now.what == freeing)
        d.message =
            fmt::format("cudaFree releases {}, and {} may still {} it in {}{} {}", d.buffer, earlier.what,
                        writes(other) ? "write" : "read", name_of(earlier.stream), nothing_orders, cure);
      else
        d.message =
            fmt::format("{} after {}: {} {} {} in {}, and {} {} it in {}{} {}",
                        writes(mine) ? "write" : "read", writes(other) ? "write" : "read", now.what,
                        writes(mine) ? "writes" : "reads", d.buffer, name_of(now.stream), earlier.what,
                        writes(other) ? "writes" : "reads", name_of(earlier.stream), nothing_orders, cure);
      return found;
    }
  return std::nullopt;
}

}  // namespace warpgrade::run
