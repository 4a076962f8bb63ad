#include "runtime/simulate/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

using streams::Operation, streams::writes;

namespace {

constexpr std::size_t most_nodes = 8192;
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
  return order_.device_of(stream);
}

/// "stream 0x1001", with its device where there are several
std::string StreamOrder::place_of(const Runtime &r, const Operation &one) const {
  return words_of(one.stream) +
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
  const streams::Clock &counts = order_.counts();
  const bool threads =
      std::any_of(counts.begin(), counts.end(), [](const auto &one) { return is_per_thread(one.first); });
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
    host_knows(order_.counts());
  else if (host_waits_)
    host_waits_for_device(r, now_.device);
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

std::uint64_t StreamOrder::seen(const Runtime &r, std::uint64_t stream) {
  const auto found = r.streams.find(stream);
  const bool blocking = is_per_thread(stream) ||
                        (found != r.streams.end() && (found->second.flags & cudaStreamNonBlocking) == 0);
  order_.declare(stream, {device_of(r, stream), blocking, is_legacy(stream)});
  return stream;
}

void StreamOrder::host_waits_for_device(Runtime &, int device) {
  host_knows(order_.after_all_of(device));
}

void StreamOrder::begin_copy_between(Runtime &r, int to, int from) {
  order_.begin_copy_between(seen(r, now_.stream), to, from);
}

void StreamOrder::end_copy_between(Runtime &r, int to, int from) {
  order_.end_copy_between(seen(r, now_.stream), to, from);
}

streams::Numbered StreamOrder::number_operation(Runtime &r) {
  return order_.begin(seen(r, now_.stream), std::exchange(now_.counted, true));
}

std::string StreamOrder::words_of(std::uint64_t stream) {
  if (is_legacy(stream)) return "the default stream";
  if (is_per_thread(stream)) return "the default stream of the thread";
  return fmt::format("stream {:#x}", stream);
}

void StreamOrder::access(Runtime &r, const std::string &what, simt::Footprint footprint, bool meets_host,
                         bool scoped, std::vector<simt::AccessSource> sources) {
  if (!now_.inside || (!watches_host(r) && !watches(r))) return;
  Operation now{number_operation(r), now_.nodes.current, what,  std::move(footprint),
                std::move(sources),  meets_host,         scoped};
  for (const Operation &earlier : open_)
    if (!is_ordered(now, earlier))
      for (const streams::Meeting &one :
           streams::meetings(now, earlier, order_.device_of(now.stream) != order_.device_of(earlier.stream)))
        report(r, one, now, earlier);
  open_.add(std::move(now));
}

/// `place` of an operation is its node.
bool StreamOrder::is_ordered(const Operation &now, const Operation &earlier) const {
  if (earlier.stream == now.stream)
    return earlier.number != now.number || earlier.place == 0 || now.place == 0 ||
           earlier.place == now.place || now_.nodes.before.has(earlier.place);
  return earlier.ended_by(now.known);
}

void StreamOrder::report(Runtime &r, const streams::Meeting &meeting, const Operation &now,
                         const Operation &earlier) const {
  const Block *block = r.blocks.at(meeting.at());
  const bool two_devices = device_of(r, now.stream) != device_of(r, earlier.stream);
  const bool scope = meeting.is_of_scope();
  const bool nodes = now.stream == earlier.stream;
  const auto where = [&](const Operation &one, const simt::AddressRange &range) {
    const simt::AccessSource *const source = one.source_of(range);
    const std::string line = source == nullptr || source->at.line == 0
                                 ? ""
                                 : fmt::format("at {}:{} ", source->at.file, source->at.line);
    return line + (nodes ? fmt::format("in node {} of the graph", one.place) : "in " + place_of(r, one));
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
      const auto touches = [&](simt::Access kind) { return streams::overlap(one.ranges(kind), byte); };
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
  const streams::Clock known = stream ? order_.before(seen(r, here)) : order_.host();
  for (const Operation &one : open_) {
    if ((stream && one.stream == here) || one.ended_by(known)) continue;
    if (std::ranges::none_of(streams::all_accesses,
                             [&](simt::Access access) { return streams::overlap(one.ranges(access), all); }))
      continue;
    Finding finding;
    finding.code = "free_in_flight";
    finding.call = call;
    finding.buffer = block.name;
    finding.message =
        stream ? fmt::format("frees {} in {}, while {} in {} may still use it: nothing orders the two",
                             block.name, words_of(here), one.what, place_of(r, one))
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
  order_.record(seen(r, named(stream)), event);
}

void StreamOrder::wait(Runtime &r, std::uint64_t stream, std::uint64_t event) {
  order_.wait(seen(r, named(stream)), event);
}

void StreamOrder::host_waits_for_stream(Runtime &r, std::uint64_t stream) {
  host_knows(order_.after(seen(r, named(stream))));
}

void StreamOrder::host_waits_for_event(std::uint64_t event) {
  if (const streams::Clock *const clock = order_.event(event)) host_knows(*clock);
}

void StreamOrder::host_node_runs(Runtime &r) {
  const std::uint64_t stream = seen(r, now_.stream);
  if (now_.nodes.current == 0) return host_knows(order_.after(stream));
  host_knows(order_.before(stream));
  if (!now_.counted) return;
  open_.erase_if([&](const Operation &one) {
    return one.stream == stream && one.number == order_.last(stream) && now_.nodes.before.has(one.place);
  });
}

/// What the host has waited for comes before everything that it asks for from now on.
void StreamOrder::host_knows(const streams::Clock &clock) {
  order_.host_waits_for(clock);
  open_.erase_ended(order_.host());
}

}  // namespace warpgrade::cuda
