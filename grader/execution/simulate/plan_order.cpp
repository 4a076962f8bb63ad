#include "simulate/plan_order.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpgrade::run {

using streams::Meeting, streams::Operation, streams::writes;

/// The default streams of the devices come first, in order.
PlanOrder::PlanOrder(const plan::LaunchPlan &plan, std::function<std::string(std::uint64_t)> buffer_at)
    : streams_(plan.streams), buffer_at_(std::move(buffer_at)) {
  for (std::size_t stream = 0; stream < streams_.size(); ++stream)
    order_.declare(stream,
                   {streams_[stream].device, streams_[stream].blocking, stream == streams_[stream].device});
}

void PlanOrder::host_waits(const plan::HostWaits &o) {
  switch (o.what) {
    case plan::HostWaits::For::device:
      order_.host_waits_for(order_.after_all_of(static_cast<int>(o.number)));
      break;
    case plan::HostWaits::For::stream:
      order_.host_waits_for(order_.after(o.number));
      break;
    case plan::HostWaits::For::event:
      if (const streams::Clock *const clock = order_.event(o.number)) order_.host_waits_for(*clock);
      break;
  }
  open_.erase_ended(order_.host());
}

void PlanOrder::host_waits_for_all() {
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream)
    host_waits({plan::HostWaits::For::stream, stream});
}

std::optional<Conflict> PlanOrder::access(const std::string &what, std::size_t operation,
                                          simt::Footprint footprint,
                                          std::vector<simt::AccessSource> sources) {
  last_ = order_.begin(now_);
  Operation now{last_, operation, what, std::move(footprint), std::move(sources)};
  std::optional<Conflict> found;
  for (const Operation &earlier : open_) {
    if (found) break;
    if (earlier.stream == now.stream || earlier.ended_by(last_.known)) continue;
    const bool two_devices = streams_[earlier.stream].device != streams_[now.stream].device;
    if (const auto met = streams::meetings(now, earlier, two_devices); !met.empty())
      found = conflict(met.front(), now, earlier);
  }
  open_.add(std::move(now));
  return found;
}

std::string PlanOrder::name_of(std::uint64_t stream) const {
  const unsigned device = streams_[stream].device;
  return stream == device ? fmt::format("the default stream of device {}", device)
                          : fmt::format("stream {} of device {}", stream, device);
}

Conflict PlanOrder::conflict(const Meeting &met, const Operation &now, const Operation &earlier) const {
  constexpr std::string_view cure =
      "Record an event after the first (cudaEventRecord) and let the second stream wait for it "
      "(cudaStreamWaitEvent)";
  Conflict found{{}, earlier.place, now.place};
  simt::Diagnostic &d = found.diagnostic;
  d.code = met.is_of_scope() ? simt::Code::scope : simt::Code::race;
  d.buffer = buffer_at_(met.at());
  const auto access = [](simt::Access a) { return writes(a) ? "writes" : "reads"; };
  if (now.what == freeing) {
    d.message =
        fmt::format("cudaFree releases {}, and {} may still {} it in {}{} {}", d.buffer, earlier.what,
                    writes(met.other) ? "write" : "read", name_of(earlier.stream), nothing_orders, cure);
    return found;
  }
  const std::string both =
      fmt::format("{} {} {} in {}, and {} {} it in {}", now.what, access(met.mine), d.buffer,
                  name_of(now.stream), earlier.what, access(met.other), name_of(earlier.stream));
  if (!met.is_of_scope()) {
    d.message = fmt::format("{} after {}: {}{} {}", writes(met.mine) ? "write" : "read",
                            writes(met.other) ? "write" : "read", both, nothing_orders, cure);
    return found;
  }
  d.message = fmt::format(
      "{}{} An atomic or volatile access whose scope is not the system means nothing to another device: give "
      "both "
      "the scope of the system (atomicAdd_system, cuda::thread_scope_system), or let one stream wait for an "
      "event "
      "of the other",
      both, nothing_orders);
  if (const auto *source = now.source_of(met.here)) d.here.at = source->at;
  if (const auto *source = earlier.source_of(met.there); source && source->at.line > 0)
    d.other = simt::Side{{}, {}, source->at};
  return found;
}

}  // namespace warpgrade::run
