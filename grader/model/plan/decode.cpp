#include "plan/decode.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/wire.hpp"
#include "plan/addresses.hpp"
#include "plan/launch_checks.hpp"
#include "plan/request.hpp"

namespace warpgrade::plan {
namespace {

constexpr std::size_t longest_message = 4096;   // of a worker's messages; a longer one is cut
constexpr std::uint64_t most_rows = 4'194'304;  // of all fills and copies: each costs time

std::string quantity(std::uint64_t count, const char *what) {
  return std::to_string(count) + " " + what;
}

class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, const CallRequest &request, const Limits &limits)
      : from_(bytes), request_(request), limits_(limits), checks_(request.kernels, request.device) {
    trace_.plan.buffers = request.buffers;
    if (request.devices > 1)
      for (std::uint8_t device = 0; device < request.devices; ++device)
        trace_.plan.streams.push_back({device});
    live_.assign(request.buffers.size(), true);
  }

  Trace decode() {
    while (!from_.at_end()) {
      if (trace_.ended) throw PlanError("the plan continues after its end mark");
      record(static_cast<Tag>(from_.get<std::uint8_t>()));
    }
    return std::move(trace_);
  }

 private:
  void record(Tag tag) {
    if (cluster_ && tag != Tag::launch) throw PlanError("the plan has a cluster without a launch");
    switch (tag) {
      case Tag::started:
        trace_.started = true;
        return;
      case Tag::ended:
        trace_.ended = true;
        return;
      case Tag::allocate:
        return allocate();
      case Tag::variable:
        return variable();
      case Tag::free:
        return release();
      case Tag::set_memory:
        return set_memory();
      case Tag::copy_in:
        return copy_in();
      case Tag::copy_within:
        return copy_within();
      case Tag::attribute:
        return attribute();
      case Tag::launch:
        return launch();
      case Tag::cluster:
        return cluster();
      case Tag::stream:
        return stream();
      case Tag::event:
        return event();
      case Tag::use_stream:
        return use_stream();
      case Tag::record_event:
        return add(RecordEvent{known_event()});
      case Tag::wait_for_event:
        return add(WaitForEvent{known_event()});
      case Tag::host_waits:
        return host_waits();
      case Tag::peer_access:
        return peer_access();
      case Tag::failed_launch:
        trace_.failed_launch = message();
        return;
      case Tag::thrown:
        trace_.thrown = message();
        return;
      case Tag::refused: {
        const std::string text = message();
        if (!trace_.refused) trace_.refused = text;
        return;
      }
      case Tag::device_access:
        return device_access();
      case Tag::fault:
        return fault();
      case Tag::called_from:
        return called_from();
      case Tag::called_again:
        return call_again();
    }
    throw PlanError("the plan contains an unknown record");
  }

  // Limits apply to each call; memory that is still allocated belongs to the first.
  void call_again() {
    if (request_.calls < 2 || trace_.first_call) throw PlanError("the plan holds a call that nobody made");
    trace_.first_call = trace_.plan.operations.size();
    buffers_before_ = trace_.plan.buffers.size() - request_.buffers.size();
    scratch_before_ = scratch_;
    threads_ = moved_ = rows_ = 0;
    launches_ = 0;
  }

  std::string message() {
    std::string text = from_.get_string();
    if (text.size() > longest_message) text.resize(longest_message);
    return text;
  }

  void add(Operation operation) {
    if (trace_.plan.operations.size() - trace_.first_call.value_or(0) >= limits_.operations) {
      throw PlanError("the launcher does more than " + quantity(limits_.operations, "operations"));
    }
    // It continued after the failed launch: the failure is in the plan itself.
    if (!std::holds_alternative<HostWaits>(operation) && !std::holds_alternative<UseStream>(operation))
      trace_.failed_launch.reset();
    trace_.plan.operations.push_back(std::move(operation));
  }

  std::uint32_t add_buffer(Buffer buffer, std::uint64_t address) {
    std::vector<Buffer> &buffers = trace_.plan.buffers;
    if (buffers.size() - buffers_before_ >= limits_.buffers + request_.buffers.size() ||
        buffers.size() >= slot_count) {
      throw PlanError("the launcher uses more than " +
                      quantity(limits_.buffers, "allocations and variables"));
    }
    if (address != address_of_slot(buffers.size())) throw PlanError("an allocation has a made-up address");
    if (buffer.bytes > largest_buffer) throw PlanError("an allocation is larger than 16 GiB");
    buffers.push_back(std::move(buffer));
    live_.push_back(true);
    return static_cast<std::uint32_t>(buffers.size() - 1);
  }

  Place place(std::uint64_t address) const {
    if (!is_device_address(address))
      throw PlanError("a device pointer was expected, and something else was passed");
    const std::uint64_t slot = slot_of(address);
    if (slot >= trace_.plan.buffers.size()) throw PlanError("a device pointer belongs to no buffer");
    return {static_cast<std::uint32_t>(slot), offset_in_slot(address)};
  }

  // The bytes that `rows` runs of `width` bytes cover must be inside a buffer that is still allocated.
  Place place_of(std::uint64_t address, std::uint64_t width, std::uint64_t rows, std::uint64_t pitch,
                 const char *what) const {
    const Place start = place(address);
    const Buffer &buffer = trace_.plan.buffers[start.buffer];
    if (!live_[start.buffer])
      throw PlanError(std::string(what) + " uses " + buffer.name + " after it was freed");
    if (width == 0 || rows == 0) throw PlanError(std::string(what) + " moves no bytes");
    if (rows > 1 && pitch < width) throw PlanError(std::string(what) + " has rows that overlap");
    const std::uint64_t stride = rows > 1 ? pitch : 0;
    std::uint64_t span = 0;
    if (__builtin_mul_overflow(rows - 1, stride, &span) || __builtin_add_overflow(span, width, &span) ||
        start.offset < 0 || static_cast<std::uint64_t>(start.offset) > buffer.bytes ||
        span > buffer.bytes - static_cast<std::uint64_t>(start.offset)) {
      throw PlanError(std::string(what) + " reaches outside " + buffer.name + " (" +
                      quantity(buffer.bytes, "bytes") + ")");
    }
    return start;
  }

  void allocate() {
    const auto address = from_.get<std::uint64_t>();
    const auto bytes = from_.get<std::uint64_t>();
    if (bytes == 0) throw PlanError("an allocation has no bytes");
    const std::uint64_t in_use = scratch_ - std::min(scratch_, scratch_before_);
    if (bytes > limits_.scratch_bytes || in_use > limits_.scratch_bytes - bytes) {
      throw PlanError("the launcher allocates more than " +
                      quantity(limits_.scratch_bytes, "bytes at one time"));
    }
    const std::uint8_t device = known_device();
    scratch_ += bytes;
    add(Allocate{
        add_buffer({Owner::student, "scratch " + std::to_string(++allocations_), bytes, device}, address)});
  }

  void variable() {
    const auto index = from_.get<std::uint32_t>();
    const auto address = from_.get<std::uint64_t>();
    if (index >= request_.variables.size()) throw PlanError("the device code has no such variable");
    Buffer variable = request_.variables[index];
    variable.device = known_device();
    if (!bound_.insert({index, variable.device}).second) throw PlanError("a variable is named twice");
    add_buffer(std::move(variable), address);
  }

  // Streams and events: a plan of one device has none, and none of what follows.
  void needs_devices() const {
    if (request_.devices < 2) throw PlanError("the plan has streams, and there is one device");
  }
  std::uint8_t known_device() {
    const auto device = from_.get<std::uint8_t>();
    if (device >= request_.devices) throw PlanError("the plan names a device that does not exist");
    return device;
  }
  std::uint32_t known_event() {
    const auto event = from_.get<std::uint32_t>();
    if (event >= trace_.plan.events) throw PlanError("the plan names an event that nobody created");
    return event;
  }
  std::uint32_t known_stream() {
    const auto stream = from_.get<std::uint32_t>();
    if (stream >= trace_.plan.streams.size()) throw PlanError("the plan names a stream that nobody created");
    return stream;
  }

  std::uint8_t device_in_use() const {
    return trace_.plan.streams.empty() ? std::uint8_t{0} : trace_.plan.streams[in_use_].device;
  }

  void stream() {
    needs_devices();
    const std::uint8_t device = known_device();
    if (trace_.plan.streams.size() >= most_streams + request_.devices)
      throw PlanError("the launcher creates more than " + quantity(most_streams, "streams"));
    trace_.plan.streams.push_back({device, from_.get<std::uint8_t>() != 0});
  }
  void event() {
    needs_devices();
    if (trace_.plan.events >= std::uint64_t{limits_.operations} * request_.calls)
      throw PlanError("the launcher creates more than " + quantity(limits_.operations, "events"));
    ++trace_.plan.events;
  }
  void use_stream() {
    needs_devices();
    in_use_ = known_stream();
    add(UseStream{in_use_});
  }
  void host_waits() {
    needs_devices();
    const auto what = from_.get<std::uint8_t>();
    if (what == static_cast<std::uint8_t>(HostWaits::For::device)) {
      const auto device = from_.get<std::uint32_t>();
      if (device >= request_.devices) throw PlanError("the plan names a device that does not exist");
      return add(HostWaits{HostWaits::For::device, device});
    }
    if (what == static_cast<std::uint8_t>(HostWaits::For::stream))
      return add(HostWaits{HostWaits::For::stream, known_stream()});
    if (what == static_cast<std::uint8_t>(HostWaits::For::event))
      return add(HostWaits{HostWaits::For::event, known_event()});
    throw PlanError("the host waits for something unknown");
  }
  void peer_access() {
    needs_devices();
    const std::uint8_t device = known_device(), owner = known_device();
    if (device == owner) throw PlanError("a device is given access to its own memory");
    add(PeerAccess{device, owner, from_.get<std::uint8_t>() != 0});
  }

  void release() {
    const Place at = place(from_.get<std::uint64_t>());
    const Buffer &buffer = trace_.plan.buffers[at.buffer];
    if (buffer.owner != Owner::student)
      throw PlanError("cudaFree of " + buffer.name + ", which the launcher did not allocate");
    if (at.offset != 0) throw PlanError("cudaFree of a pointer into the middle of " + buffer.name);
    if (!live_[at.buffer]) throw PlanError("cudaFree of " + buffer.name + ", which was already freed");
    live_[at.buffer] = false;
    scratch_ -= buffer.bytes;
    add(Free{at.buffer});
  }

  void set_memory() {
    SetMemory set;
    const auto to = from_.get<std::uint64_t>();
    set.value = from_.get<std::uint8_t>();
    set.width = from_.get<std::uint64_t>();
    set.rows = from_.get<std::uint64_t>();
    set.pitch = from_.get<std::uint64_t>();
    set.to = place_of(to, set.width, set.rows, set.pitch, "cudaMemset");
    count_moved(set.width, set.rows);
    add(set);
  }

  void copy_in() {
    const auto to = from_.get<std::uint64_t>();
    const std::span<const std::byte> bytes = from_.get_bytes();
    CopyIn copy{place_of(to, bytes.size(), 1, 0, "a copy to the device"), {bytes.begin(), bytes.end()}};
    constexpr std::size_t step = ptx::TensorMap::alignment, size = ptx::TensorMap::bytes;
    for (std::size_t at = -to % step; at + size <= copy.bytes.size(); at += step) {
      const auto map = ptx::decode_tensor_map(&copy.bytes[at]);
      if (!map || !is_device_address(map->address)) continue;
      relocate(copy.tensor_maps, copy.bytes, static_cast<std::uint32_t>(at), *map);
      at += size - step;
    }
    add(std::move(copy));
  }

  void copy_within() {
    CopyWithin copy;
    const auto to = from_.get<std::uint64_t>();
    const auto source = from_.get<std::uint64_t>();
    copy.width = from_.get<std::uint64_t>();
    copy.rows = from_.get<std::uint64_t>();
    copy.to_pitch = from_.get<std::uint64_t>();
    copy.from_pitch = from_.get<std::uint64_t>();
    copy.to = place_of(to, copy.width, copy.rows, copy.to_pitch, "a copy within the device");
    copy.from = place_of(source, copy.width, copy.rows, copy.from_pitch, "a copy within the device");
    count_moved(copy.width, copy.rows);
    add(copy);
  }

  // A record of 40 bytes can make the replay move gigabytes, even in rows of one byte: all fills and
  // copies of a plan together may cover its memory once. `width * rows` is inside a buffer: place_of().
  void count_moved(std::uint64_t width, std::uint64_t rows) {
    std::uint64_t most = limits_.scratch_bytes;
    for (const Buffer &buffer : request_.buffers) most += buffer.bytes;
    moved_ += width * rows;
    if (moved_ > most)
      throw PlanError("the launcher sets and copies more than " + quantity(most, "bytes of device memory"));
    rows_ += rows;
    if (rows_ > most_rows)
      throw PlanError("the launcher sets and copies more than " +
                      quantity(most_rows, "rows of device memory"));
  }

  const KernelLayout &kernel(std::uint32_t index) const {
    if (index >= request_.kernels.size()) throw PlanError("the device code has no such kernel");
    return request_.kernels[index];
  }

  void attribute() {
    const auto index = from_.get<std::uint32_t>();
    const auto which = from_.get<std::uint8_t>();
    const auto value = from_.get<std::int32_t>();
    if (which > static_cast<std::uint8_t>(FunctionAttribute::large_clusters)) {
      throw PlanError("the plan sets an unknown function attribute");
    }
    const auto attribute = static_cast<FunctionAttribute>(which);
    if (attribute == FunctionAttribute::max_dynamic_shared_bytes) {
      if (value < 0) throw PlanError("the plan sets a negative amount of shared memory");
    }
    if (attribute == FunctionAttribute::large_clusters) {
      if (value != 0 && value != 1) throw PlanError("the plan allows a kernel clusters of made-up size");
    }
    const SetFunctionAttribute set{kernel(index).name, attribute, value};
    checks_.note(set, device_in_use());
    add(set);
  }

  // A shape that no GPU starts is reported by the replay, like a grid.
  void cluster() {
    ptx::ClusterShape shape{};
    for (std::uint32_t &blocks : shape) blocks = from_.get<std::uint32_t>();
    if (shape[0] == 0) throw PlanError("a launch is in clusters of no blocks");
    cluster_ = shape;
  }

  void launch() {
    const auto index = from_.get<std::uint32_t>();
    const KernelLayout &layout = kernel(index);
    Launch launch;
    launch.kernel = layout.name;
    for (std::uint32_t *side : {&launch.grid.x, &launch.grid.y, &launch.grid.z, &launch.block.x,
                                &launch.block.y, &launch.block.z, &launch.dynamic_shared_bytes}) {
      *side = from_.get<std::uint32_t>();
    }
    const std::span<const std::byte> arguments = from_.get_bytes();
    if (arguments.size() != layout.argument_bytes) {
      throw PlanError("a launch passes " + quantity(arguments.size(), "argument bytes") +
                      " to a kernel with " + std::to_string(layout.argument_bytes));
    }
    if (++launches_ > limits_.launches)
      throw PlanError("the launcher makes more than " + quantity(limits_.launches, "launches"));
    launch.arguments.assign(arguments.begin(), arguments.end());
    launch.cluster = std::exchange(cluster_, std::nullopt).value_or(ptx::ClusterShape{});
    relocate(launch, layout);
    count_threads(launch);
    add(std::move(launch));
  }

  // Addresses become places: wherever 8 aligned bytes of one parameter, or of a field of a struct, hold
  // one. So do tensor maps, at multiples of 64 bytes.
  void relocate(Launch &launch, const KernelLayout &layout) const {
    for (const ParameterLayout &parameter : layout.parameters) {
      const std::uint64_t end = std::uint64_t{parameter.offset} + parameter.size;
      if (end > launch.arguments.size()) throw PlanError("a kernel's parameters do not fit its arguments");
      for (std::uint64_t at = (parameter.offset + std::uint64_t{7}) / 8 * 8; at + 8 <= end; at += 8) {
        if (at % ptx::TensorMap::alignment == 0 && at + ptx::TensorMap::bytes <= end &&
            relocate_map(launch, static_cast<std::uint32_t>(at))) {
          at += ptx::TensorMap::bytes - 8;
          continue;
        }
        std::uint64_t word = 0;
        std::memcpy(&word, &launch.arguments[at], sizeof word);
        if (!is_device_address(word)) continue;
        launch.pointers.push_back({static_cast<std::uint32_t>(at), place(word)});
        std::memset(&launch.arguments[at], 0, sizeof word);
      }
    }
    if (!launch.tensor_maps.empty())
      for (const ParameterLayout &parameter : layout.parameters)
        launch.parameters.push_back(parameter.offset);
  }

  // Whether a tensor map is there. Only those that cuTensorMapEncodeTiled creates are: decode_tensor_map()
  // checks every number.
  bool relocate_map(Launch &launch, std::uint32_t at) const {
    const auto map = ptx::decode_tensor_map(&launch.arguments[at]);
    if (map) relocate(launch.tensor_maps, launch.arguments, at, *map);
    return map.has_value();
  }

  void relocate(std::vector<TensorMapArgument> &maps, std::vector<std::byte> &bytes, std::uint32_t at,
                ptx::TensorMap map) const {
    const std::uint64_t address = std::exchange(map.address, 0);
    maps.push_back({at, place(address), map});
    std::memset(&bytes[at], 0, ptx::TensorMap::bytes);
  }

  // A launch that no GPU would start runs no threads: the replay reports it; the limit does not apply.
  void count_threads(const Launch &launch) {
    if (checks_.why_not(launch, device_in_use())) return;
    std::uint64_t all = 0, blocks = 0;
    if (__builtin_mul_overflow(std::uint64_t{launch.grid.x} * launch.grid.y, std::uint64_t{launch.grid.z},
                               &blocks) ||
        __builtin_mul_overflow(blocks, launch.block.count(), &all) || all > limits_.threads ||
        threads_ > limits_.threads - all) {
      throw PlanError("the launches have more than " + quantity(limits_.threads, "threads together"));
    }
    threads_ += all;
  }

  void device_access() {
    const auto address = from_.get<std::uint64_t>();
    trace_.device_access = true;
    if (is_device_address(address) && slot_of(address) < trace_.plan.buffers.size()) {
      trace_.accessed = trace_.plan.buffers[slot_of(address)].name;
    }
  }

  void fault() {
    Trace::Fault one;
    one.signal = from_.get<std::uint8_t>();
    one.address = from_.get<std::uint64_t>();
    if (!trace_.fault) trace_.fault = one;
  }

  void called_from() {
    Trace::Callers callers(from_.get<std::uint8_t>());
    for (std::uint64_t &caller : callers) caller = from_.get<std::uint64_t>();
    const std::vector<Operation> &done = trace_.plan.operations;
    if (trace_.refused || trace_.device_access || trace_.fault) {
      if (trace_.refused_at.empty()) trace_.refused_at = std::move(callers);
    } else if (trace_.failed_launch) {
      if (trace_.failed_at.empty()) trace_.failed_at = std::move(callers);
    } else if (!done.empty() && std::holds_alternative<Allocate>(done.back())) {
      trace_.allocated_at.emplace(std::get<Allocate>(done.back()).buffer, std::move(callers));
    } else if (!done.empty()) {
      trace_.launched_at.emplace(done.size() - 1, std::move(callers));
    }
  }

  Reader from_;
  const CallRequest &request_;
  const Limits &limits_;
  Trace trace_;
  std::vector<bool> live_;                                  // per buffer: not yet freed
  std::set<std::pair<std::uint32_t, std::uint8_t>> bound_;  // variables, by device
  LaunchChecks checks_;
  std::uint32_t in_use_ = 0;                  // stream
  std::optional<ptx::ClusterShape> cluster_;  // of the next launch
  std::size_t buffers_before_ = 0;  // the student's and variables, at the end of the first of two calls
  std::uint64_t scratch_before_ = 0;
  std::uint64_t scratch_ = 0, threads_ = 0, moved_ = 0, rows_ = 0;
  std::uint32_t launches_ = 0, allocations_ = 0;
};

}  // namespace

Trace read_trace(std::span<const std::byte> bytes, const CallRequest &request, const Limits &limits) {
  if (bytes.size() > limits.plan_bytes * request.calls) {
    throw PlanError("the plan is longer than " + quantity(limits.plan_bytes, "bytes, uploads included"));
  }
  try {
    return Decoder(bytes, request, limits).decode();
  } catch (const WireError &) {
    throw PlanError("the plan's bytes end inside a record");
  }
}

LaunchPlan decode(std::span<const std::byte> bytes, const CallRequest &request, const Limits &limits) {
  Trace trace = read_trace(bytes, request, limits);
  if (trace.refused) throw PlanError(*trace.refused);
  if (!trace.ended) throw PlanError("the plan has no end mark: the launcher did not return");
  return std::move(trace.plan);
}

}  // namespace warpgrade::plan
