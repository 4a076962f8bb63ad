#include "runtime/simulate/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

using streams::join;

namespace {

// Older operations are forgotten, so that a program without waits needs no more memory than this.
constexpr std::size_t most_open = 256, most_open_ranges = 1 << 21, most_nodes = 8192;
constexpr std::uint64_t legacy = 0, per_thread = 2, number_bits = 0xFFFF'FFFF;
constexpr int device_shift = 56;  // in the numbers of default streams

std::uint64_t legacy_of(int device) {
  return std::uint64_t(static_cast<unsigned>(device)) << device_shift;
}

bool is_legacy(std::uint64_t stream) {
  return stream << (64 - device_shift) == legacy;
}

bool is_per_thread(std::uint64_t stream) {
  return (stream & number_bits) == per_thread;
}

std::string stream_name(std::uint64_t stream) {
  if (is_legacy(stream)) return "the default stream";
  if (is_per_thread(stream)) return "the default stream of the thread";
  return fmt::format("stream {:#x}", stream);
}

bool writes(simt::Access access) {
  return access == simt::Access::write || access == simt::Access::strong_write;
}

/// Whether two accesses to the same bytes need an order.
bool clash(simt::Access a, simt::Access b) {
  const auto strong = [](simt::Access t) {
    return t == simt::Access::strong_read || t == simt::Access::strong_write;
  };
  return (writes(a) || writes(b)) && !(strong(a) && strong(b));
}

constexpr simt::Access all_accesses[] = {simt::Access::read, simt::Access::write, simt::Access::strong_read,
                                         simt::Access::strong_write};

bool is_strong(simt::Access access) {
  return access == simt::Access::strong_read || access == simt::Access::strong_write;
}

/// The first two ranges that overlap and are of interest.
template <class Wanted>
std::optional<std::pair<simt::AddressRange, simt::AddressRange>> first_overlap(
    const std::vector<simt::AddressRange> &a, const std::vector<simt::AddressRange> &b,
    const Wanted &wanted) {
  auto x = a.begin(), y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (std::max(x->begin, y->begin) < std::min(x->end, y->end) && wanted(*x, *y)) return std::pair(*x, *y);
    x->end <= y->end ? ++x : ++y;
  }
  return std::nullopt;
}

bool overlap(const std::vector<simt::AddressRange> &a, const std::vector<simt::AddressRange> &b) {
  return first_overlap(a, b, [](const auto &, const auto &) { return true; }).has_value();
}

}  // namespace

void NodeSet::add(std::size_t node) {
  if (words_.size() <= node / 64) words_.resize(node / 64 + 1);
  words_[node / 64] |= std::uint64_t{1} << node % 64;
}

void NodeSet::add(const NodeSet &more) {
  if (words_.size() < more.words_.size()) words_.resize(more.words_.size());
  for (std::size_t i = 0; i < more.words_.size(); ++i) words_[i] |= more.words_[i];
}

bool NodeSet::has(std::size_t node) const {
  return node / 64 < words_.size() && (words_[node / 64] >> node % 64 & 1) != 0;
}

std::uint64_t StreamOrder::named(std::uint64_t stream) const {
  static std::atomic<std::uint64_t> threads{1};  // so that a named stream is not taken for its handle
  thread_local const std::uint64_t thread = threads++;
  if (stream == 0 || stream == 1) return legacy_of(now_.device);  // 1: cudaStreamLegacy
  return stream == per_thread ? per_thread | thread << 32 | legacy_of(now_.device) : stream;
}

std::uint64_t StreamOrder::name_for(int device, std::uint64_t stream) {
  const int before = std::exchange(now_.device, device);
  const std::uint64_t made = named(stream);
  now_.device = before;
  return made;
}

int StreamOrder::device(const Runtime &r) const {
  return device_of(r, now_.stream);
}

int StreamOrder::device_of(const Runtime &r, std::uint64_t stream) const {
  if (is_legacy(stream) || is_per_thread(stream)) return static_cast<int>(stream >> device_shift);
  if (const auto there = r.streams.find(stream); there != r.streams.end()) return there->second.device;
  const auto found = devices_.find(stream);
  return found == devices_.end() ? 0 : found->second;
}

/// "stream 0x1001", with its device where there are several
std::string StreamOrder::place_of(const Runtime &r, const Operation &one) const {
  return stream_name(one.stream) +
         (r.devices.size() > 1 ? fmt::format(" of device {}", device_of(r, one.stream)) : "");
}

bool StreamOrder::watches(const Runtime &r) const {
  if (!r.options.check_races) return false;
  if (r.devices.size() > 1) return true;
  if (now_.nodes.forks) return true;
  if (r.launch_blocking) return false;
  std::size_t streams = 0;
  for (const auto &[handle, stream] : r.streams)
    if (handle != per_thread) streams += (stream.flags & cudaStreamNonBlocking) != 0 ? 2 : 1;
  const bool threads =
      std::any_of(counts_.begin(), counts_.end(), [](const auto &one) { return is_per_thread(one.first); });
  return streams > 1 || threads || is_per_thread(now_.stream);
}

bool StreamOrder::watches_host(const Runtime &r) const {
  return r.options.check_races && !r.launch_blocking;
}

void StreamOrder::begin_call(int device, bool host_waits) {
  now_ = {};
  now_.device = device;
  host_waits_ = host_waits;
  if (host_waits) enter(legacy);
}

void StreamOrder::end_call(Runtime &r) {
  if (host_waits_ && now_.counted)
    host_waits_for_stream(r, legacy);
  else if (host_waits_ && r.devices.size() == 1)
    host_knows(counts_);
  else if (host_waits_)
    host_knows(all_of(r, now_.device));
  host_waits_ = false;
  now_ = {};
}

void StreamOrder::enter(std::uint64_t stream) {
  if (!now_.inside) now_ = {true, false, now_.device, named(stream), {}};
}

std::size_t StreamOrder::begin_node(const NodeSet &before, bool forks) {
  now_.nodes.current = ++now_.nodes.count < most_nodes ? now_.nodes.count : 0;
  now_.nodes.forks = forks;
  now_.nodes.before = before;
  return now_.nodes.current;
}

void StreamOrder::end_nodes(const Nodes &outside) {
  const std::size_t count = now_.nodes.count;
  now_.nodes = outside;
  now_.nodes.count = count;
}

/// Whether the legacy stream waits for a stream, and the stream for it.
bool StreamOrder::is_blocking(const Runtime &r, std::uint64_t stream) {
  if (is_per_thread(stream)) return true;
  const auto found = r.streams.find(stream);
  if (found == r.streams.end()) return blocking_[stream];
  devices_[stream] = found->second.device;
  return blocking_[stream] = (found->second.flags & cudaStreamNonBlocking) == 0;
}

/// What comes before the next operation of a stream.
StreamClock &StreamOrder::before(Runtime &r, std::uint64_t stream) {
  const bool blocking = is_blocking(r, stream);
  const int device = device_of(r, stream);
  StreamClock &known = known_[stream];
  join(known, host_);
  if (const auto copied = copied_.find(device); copied != copied_.end()) join(known, copied->second);
  if (is_legacy(stream)) {
    for (const auto &[other, count] : counts_)
      if (other != stream && is_blocking(r, other) && device_of(r, other) == device) {
        join(known, known_[other]);
        known[other] = std::max(known[other], count);
      }
  } else if (blocking) {
    const std::uint64_t waited = legacy_of(device);
    join(known, known_[waited]);
    known[waited] = std::max(known[waited], counts_[waited]);
  }
  return known;
}

/// What has ended once all operations of a stream have.
StreamClock StreamOrder::after(Runtime &r, std::uint64_t stream) {
  StreamClock all = before(r, stream);
  all[stream] = std::max(all[stream], counts_[stream]);
  return all;
}

StreamClock StreamOrder::all_of(Runtime &r, int device) {
  StreamClock all;
  std::vector<std::uint64_t> streams;
  for (const auto &[stream, clock] : known_) streams.push_back(stream);
  for (const auto &[stream, count] : counts_) streams.push_back(stream);
  for (const std::uint64_t stream : streams)
    if (device_of(r, stream) == device) join(all, after(r, stream));
  return all;
}

void StreamOrder::host_waits_for_device(Runtime &r, int device) {
  host_knows(all_of(r, device));
}

void StreamOrder::begin_copy_between(Runtime &r, int to, int from) {
  if (!is_legacy(now_.stream)) return;
  StreamClock all = all_of(r, to);
  join(all, all_of(r, from));
  join(known_[now_.stream], all);
}

void StreamOrder::end_copy_between(Runtime &r, int to, int from) {
  if (!is_legacy(now_.stream)) return;
  const StreamClock all = after(r, now_.stream);
  for (const int device : {to, from}) join(copied_[device], all);
}

StreamOrder::Numbered StreamOrder::number_operation(Runtime &r) {
  Numbered made{now_.stream, 0, before(r, now_.stream)};
  if (!now_.counted) ++counts_[now_.stream];
  now_.counted = true;
  made.number = counts_[now_.stream];
  return made;
}

std::string StreamOrder::words_of(std::uint64_t stream) {
  return stream_name(stream);
}

void StreamOrder::access(Runtime &r, const std::string &what, simt::Footprint footprint, bool meets_host,
                         bool scoped, std::vector<simt::AccessSource> sources) {
  if (!now_.inside || (!watches_host(r) && !watches(r))) return;
  const std::uint64_t stream = now_.stream;
  const StreamClock known = before(r, stream);
  if (!now_.counted) ++counts_[stream];
  now_.counted = true;
  Operation now{stream,     counts_[stream], now_.nodes.current, what, std::move(footprint),
                meets_host, scoped,          std::move(sources)};
  for (const auto &ranges : now.footprint) now.ranges += ranges.size();
  for (const Operation &earlier : open_)
    if (!is_ordered(known, now, earlier)) compare(r, now, earlier);
  open_ranges_ += now.ranges;
  open_.push_back(std::move(now));
  while (open_.size() > most_open || open_ranges_ > most_open_ranges) {
    open_ranges_ -= open_.front().ranges;
    open_.pop_front();
  }
}

bool StreamOrder::is_ordered(const StreamClock &known, const Operation &now, const Operation &earlier) const {
  if (earlier.stream == now.stream)
    return earlier.number != now.number || earlier.node == 0 || now.node == 0 || earlier.node == now.node ||
           now_.nodes.before.has(earlier.node);
  const auto at = known.find(earlier.stream);
  return at != known.end() && at->second >= earlier.number;
}

const simt::AccessSource *StreamOrder::Operation::source_of(const simt::AddressRange &range) const {
  return range.source == 0 || range.source > sources.size() ? nullptr : &sources[range.source - 1];
}

bool StreamOrder::Operation::has_system_scope(const simt::AddressRange &range) const {
  const simt::AccessSource *const source = source_of(range);
  return source == nullptr || source->system;
}

bool StreamOrder::was_told(const Operation &now, const Operation &earlier) {
  return first_overlap(now.footprint[static_cast<std::size_t>(simt::Access::strong_read)],
                       earlier.footprint[static_cast<std::size_t>(simt::Access::strong_write)],
                       [&](const simt::AddressRange &mine, const simt::AddressRange &other) {
                         return now.has_system_scope(mine) && earlier.has_system_scope(other);
                       })
      .has_value();
}

std::optional<StreamOrder::Meeting> StreamOrder::find_clash(const Operation &now,
                                                            const Operation &earlier) const {
  const auto any = [](const simt::AddressRange &, const simt::AddressRange &) { return true; };
  for (const simt::Access mine : all_accesses)
    for (const simt::Access other : all_accesses) {
      if (!clash(mine, other)) continue;
      if (const auto both = first_overlap(now.footprint[static_cast<std::size_t>(mine)],
                                          earlier.footprint[static_cast<std::size_t>(other)], any))
        return Meeting{mine, other, both->first, both->second};
    }
  return std::nullopt;
}

std::optional<StreamOrder::Meeting> StreamOrder::find_narrow_scope(const Operation &now,
                                                                   const Operation &earlier) {
  const auto narrow = [&](const simt::AddressRange &mine, const simt::AddressRange &other) {
    return !now.has_system_scope(mine) || !earlier.has_system_scope(other);
  };
  for (const simt::Access mine : {simt::Access::strong_write, simt::Access::strong_read})
    for (const simt::Access other : {simt::Access::strong_write, simt::Access::strong_read}) {
      if (!writes(mine) && !writes(other)) continue;
      if (const auto both = first_overlap(now.footprint[static_cast<std::size_t>(mine)],
                                          earlier.footprint[static_cast<std::size_t>(other)], narrow))
        return Meeting{mine, other, both->first, both->second};
    }
  return std::nullopt;
}

void StreamOrder::compare(Runtime &r, const Operation &now, const Operation &earlier) const {
  const bool two_devices = device_of(r, now.stream) != device_of(r, earlier.stream);
  if (two_devices)
    if (const auto narrow = find_narrow_scope(now, earlier)) report(r, *narrow, now, earlier);
  const std::optional<Meeting> found = find_clash(now, earlier);
  if (found && !(two_devices && was_told(now, earlier))) report(r, *found, now, earlier);
}

void StreamOrder::report(Runtime &r, const Meeting &meeting, const Operation &now,
                         const Operation &earlier) const {
  const Block *block = r.blocks.at(meeting.at());
  const bool two_devices = device_of(r, now.stream) != device_of(r, earlier.stream);
  const bool scope = is_strong(meeting.mine) && is_strong(meeting.other);
  const bool nodes = now.stream == earlier.stream;
  const auto where = [&](const Operation &one, const simt::AddressRange &range) {
    const simt::AccessSource *const source = one.source_of(range);
    const std::string line = source == nullptr || source->at.line == 0
                                 ? ""
                                 : fmt::format("at {}:{} ", source->at.file, source->at.line);
    return line + (nodes ? fmt::format("in node {} of the graph", one.node) : "in " + place_of(r, one));
  };
  Finding finding;
  finding.code = scope ? "scope" : two_devices ? "device_race" : "stream_race";
  finding.call = now.what;
  finding.buffer = block == nullptr ? "" : block->name;
  finding.message = fmt::format(
      "{} {} {}, and {} {} it {}: {}", writes(meeting.mine) ? "writes" : "reads",
      block == nullptr ? "memory" : place_name(*block, meeting.at()), where(now, meeting.here), earlier.what,
      writes(meeting.other) ? "writes" : "reads", where(earlier, meeting.there),
      scope ? "an atomic or volatile access whose scope is not the system means nothing to another device"
            : "nothing orders the two");
  if (scope)
    finding.hint =
        "Give both accesses the scope of the system (atomicAdd_system, cuda::thread_scope_system), or let "
        "one device wait for an event of the other.";
  else if (nodes)
    finding.hint =
        "Make one of the nodes wait for the other (an edge of the graph; while streams are captured, "
        "an event). Nodes are numbered from 1 in the order in which the simulator runs them.";
  else if (two_devices)
    finding.hint = fmt::format(
        "Let the stream of device {} wait for an event of device {} (cudaEventRecord, cudaStreamWaitEvent), "
        "or let the "
        "host wait for device {} in between (cudaSetDevice({}), cudaDeviceSynchronize).",
        device_of(r, now.stream), device_of(r, earlier.stream), device_of(r, earlier.stream),
        device_of(r, earlier.stream));
  else
    finding.hint =
        "Let the second stream wait for an event of the first (cudaEventRecord, "
        "cudaStreamWaitEvent), or let the host wait in between.";
  r.journal.note(std::move(finding));
}

void StreamOrder::host_touched(Runtime &r, Address at, bool writes) const {
  const std::vector<simt::AddressRange> byte = {{at, at + 1}};
  for (const Operation &one : open_)
    for (const simt::Access access : {simt::Access::write, simt::Access::read}) {
      const bool reads = access == simt::Access::read;
      const auto touches = [&](simt::Access kind) {
        return overlap(one.footprint[static_cast<std::size_t>(kind)], byte);
      };
      const simt::Access strong = reads ? simt::Access::strong_read : simt::Access::strong_write;
      if (!one.meets_host || (reads && !writes) || !(touches(access) || (one.scoped && touches(strong))))
        continue;
      const Block *block = r.blocks.at(at);
      Finding finding;
      finding.code = "host_race";
      finding.call = "host code";
      finding.buffer = block == nullptr ? "" : block->name;
      finding.message = fmt::format("the program itself {} {}, which {} {} in {}, and has not waited for it",
                                    writes ? "writes" : "reads or writes",
                                    block == nullptr ? "memory" : place_name(*block, at), one.what,
                                    reads ? "reads" : "writes", place_of(r, one));
      finding.hint = "Call cudaDeviceSynchronize() or cudaStreamSynchronize() first.";
      return r.journal.note(std::move(finding));
    }
}

void StreamOrder::frees(Runtime &r, const char *call, const Block &block,
                        std::optional<std::uint64_t> stream) {
  if (!r.options.check_races) return;
  const std::vector<simt::AddressRange> all = {{block.begin, block.end()}};
  const std::uint64_t here = named(stream.value_or(legacy));
  const StreamClock known = stream ? before(r, here) : host_;
  for (const Operation &one : open_) {
    const auto at = known.find(one.stream);
    if ((stream && one.stream == here) || (at != known.end() && at->second >= one.number)) continue;
    if (std::none_of(std::begin(all_accesses), std::end(all_accesses), [&](simt::Access access) {
          return overlap(one.footprint[static_cast<std::size_t>(access)], all);
        }))
      continue;
    Finding finding;
    finding.code = "free_in_flight";
    finding.call = call;
    finding.buffer = block.name;
    finding.message =
        stream ? fmt::format("frees {} in {}, while {} in {} may still use it: nothing orders the two",
                             block.name, stream_name(here), one.what, place_of(r, one))
               : fmt::format(
                     "frees {} while {} in {} may still use it: for memory of a pool (cudaMallocAsync), "
                     "cudaFree does not wait",
                     block.name, one.what, place_of(r, one));
    finding.hint = stream ? "Free it in that stream, or let this stream wait for an event of it "
                            "(cudaEventRecord, cudaStreamWaitEvent)."
                          : "Call cudaFreeAsync in that stream, or cudaStreamSynchronize before.";
    return r.journal.note(std::move(finding));
  }
}

void StreamOrder::record(Runtime &r, std::uint64_t stream, std::uint64_t event) {
  events_[event] = after(r, named(stream));
}

void StreamOrder::wait(std::uint64_t stream, std::uint64_t event) {
  const auto found = events_.find(event);
  if (found != events_.end()) join(known_[named(stream)], found->second);
}

void StreamOrder::host_waits_for_stream(Runtime &r, std::uint64_t stream) {
  host_knows(after(r, named(stream)));
}

void StreamOrder::host_waits_for_event(std::uint64_t event) {
  const auto found = events_.find(event);
  if (found != events_.end()) host_knows(found->second);
}

void StreamOrder::host_node_runs(Runtime &r) {
  const std::uint64_t stream = now_.stream;
  if (now_.nodes.current == 0) return host_knows(after(r, stream));
  host_knows(before(r, stream));
  if (!now_.counted) return;
  std::erase_if(open_, [&](const Operation &one) {
    if (one.stream != stream || one.number != counts_[stream] || !now_.nodes.before.has(one.node))
      return false;
    open_ranges_ -= one.ranges;
    return true;
  });
}

/// What the host has waited for comes before everything that it asks for from now on.
void StreamOrder::host_knows(const StreamClock &clock) {
  join(host_, clock);
  std::erase_if(open_, [this](const Operation &one) {
    if (host_[one.stream] < one.number) return false;
    open_ranges_ -= one.ranges;
    return true;
  });
}

}  // namespace warpgrade::cuda
