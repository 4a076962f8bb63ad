#include "runtime/simulate/services.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "runtime/simulate/devices.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr int exit_of_endless_wait = 1;
constexpr std::uint64_t marks_begin = std::uint64_t{1} << 62;  // beside the handles of events and graphs
void (*end_of_library)() = nullptr;

/// With the lock of the runtime.
template <class Body>
auto locked(const Body &body) {
  Runtime &r = runtime();
  const std::lock_guard guard(r.mutex);
  return body(r);
}

int device_of(cudaStream_t stream) {
  return locked([&](Runtime &r) {
    if (number(stream) <= number(cudaStreamPerThread)) return -1;
    const auto found = r.streams.find(number(stream));
    return found == r.streams.end() ? -2 : found->second.device;
  });
}

std::uint64_t name_stream(int device, cudaStream_t stream) {
  return locked([&](Runtime &r) { return r.order.name_for(device, number(stream)); });
}

bool check(const NamedBuffer &buffer) {
  return locked([&](Runtime &r) {
    const Address begin = number(buffer.range.at);
    const std::uint64_t bytes = buffer.range.bytes;
    const auto wrong = [&](const char *code, std::string message, const Block *block = nullptr) {
      r.mistake(buffer.call, code, std::move(message), block == nullptr ? "" : block->name);
      return false;
    };
    const Block *block = r.blocks.at(begin);
    if (block == nullptr)
      return wrong("wrong_direction",
                   in_device_range(begin)
                       ? fmt::format("{} is at {:#x}, which is in no allocation", buffer.name, begin)
                       : fmt::format("{} is memory of the host, which no device can reach", buffer.name));
    const std::string place = place_name(*block, begin);
    if (!block->live)
      return wrong("use_after_free", fmt::format("{} is {}, which was freed", buffer.name, place), block);
    if (bytes > block->end() - begin)
      return wrong("copy_out_of_bounds",
                   fmt::format("{} is {} bytes at {}, up to {} bytes past the end of its {} bytes",
                               buffer.name, bytes, place, begin + bytes - block->end(), block->bytes),
                   block);
    if (!block->host_sees_it() && block->device != buffer.device)
      return wrong("wrong_device",
                   fmt::format("{} is {}, which is memory of device {}, and the rank is on device {}",
                               buffer.name, place, block->device, buffer.device),
                   block);
    return true;
  });
}

std::vector<simt::AddressRange> addresses_of(std::span<const ByteRange> ranges) {
  std::vector<simt::AddressRange> all;
  for (const ByteRange &one : ranges)
    if (one.bytes != 0) all.push_back({number(one.at), number(one.at) + one.bytes});
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
  return all;
}

cudaError_t step(const StreamStep &one) {
  return api(one.call, Waits::no, [&](Runtime &r) {
    const backend::OnDevice of_stream(one.device);
    r.order.begin_call(one.device, false);
    for (const std::uint64_t mark : one.after) r.order.wait(r, one.stream, mark);
    r.order.enter(one.stream);
    simt::Footprint bytes;
    bytes[static_cast<std::size_t>(simt::Access::read)] = addresses_of(one.reads);
    bytes[static_cast<std::size_t>(simt::Access::write)] = addresses_of(one.writes);
    const bool moves = !one.reads.empty() || !one.writes.empty() || !one.arrivals.empty();
    if (moves && r.pending == cudaSuccess) {
      r.clock += 1;
      std::vector<links::Transfer> transfers;
      for (const Arrival &from : one.arrivals)
        if (from.from != one.device) transfers.push_back({from.from, one.device, from.bytes, 1, {}});
      if (!transfers.empty() || one.device_bytes != 0)
        r.traffic.step(r, std::string(one.what), std::move(transfers), one.device_bytes);
      r.order.access(r, std::string(one.what), std::move(bytes));
    }
    if (one.mark != 0) r.order.record(r, one.stream, one.mark);
    return cudaSuccess;
  });
}

/// An allocation may be freed by another thread after it was checked.
template <class Body>
void with_memory(const char *call, const Body &body) {
  locked([&](Runtime &r) {
    r.host_watch.lift(r);
    try {
      body(r);
    } catch (const std::exception &failure) {
      r.mistake(call, "use_after_free", failure.what());
    }
    r.host_watch.protect(r);
  });
}

void read(const NamedBuffer &from, std::byte *to) {
  with_memory(from.call, [&](Runtime &r) {
    const Address begin = number(from.range.at);
    const Block *block = r.blocks.at(begin);
    const std::uint64_t unwritten =
        r.options.check_initialized ? r.device->unwritten(begin, from.range.bytes) : 0;
    if (unwritten != 0) {
      Finding finding;
      finding.code = "uninitialized_copy";
      finding.severity = simt::Severity::warning;
      finding.call = from.call;
      finding.buffer = block == nullptr ? "" : block->name;
      finding.message = fmt::format("{} is {} bytes of {}, of which {} were never written", from.name,
                                    from.range.bytes, finding.buffer, unwritten);
      r.journal.note(std::move(finding));
    }
    r.device->read(begin, {to, from.range.bytes});
  });
}

void write(const char *call, void *to, const std::byte *from, std::uint64_t bytes) {
  with_memory(call, [&](Runtime &r) { r.device->write(number(to), {from, bytes}); });
}

void note(const LibraryFinding &given) {
  locked([&](Runtime &r) {
    Finding finding;
    finding.code = given.code;
    finding.severity = given.severity;
    finding.call = given.call;
    finding.message = given.message;
    finding.hint = given.hint;
    r.journal.note(std::move(finding));
  });
}

void end() {
  std::fflush(nullptr);  // what the program has printed itself
  locked([](Runtime &r) {
    r.flush_printed();
    std::fflush(nullptr);
    r.finish(false);
  });
  ::_exit(exit_of_endless_wait);
}

constexpr Services services = {
    .in_host_function = [] { return HostFunction::runs(); },
    .device_count = [] { return backend::device_count(); },
    .current_device = [] { return locked([](Runtime &) { return device_of_thread(); }); },
    .device_of = device_of,
    .is_captured =
        [](cudaStream_t stream) { return locked([&](Runtime &r) { return is_captured(r, stream); }); },
    .name_stream = name_stream,
    .check = check,
    .known_error = [] { return locked([](Runtime &r) { return r.broken; }); },
    .has_failed =
        [] { return locked([](Runtime &r) { return r.pending != cudaSuccess || r.broken != cudaSuccess; }); },
    .environment = [](const char *name) -> const char * { return std::getenv(name); },
    .new_mark =
        [] {
          return locked([](Runtime &) {
            static std::uint64_t marks = 0;
            return marks_begin + ++marks;
          });
        },
    .forget_mark = [](std::uint64_t mark) { locked([&](Runtime &r) { r.order.forget_event(mark); }); },
    .step = step,
    .read = read,
    .write = write,
    .note = note,
    .refuse =
        [](const char *call, std::string_view why) {
          locked([&](Runtime &r) { r.not_supported(call, std::string(why)); });
        },
    .allocate = [](void **to, std::size_t bytes) { return cudaMalloc(to, bytes); },
    .release = [](void *p) { return cudaFree(p); },
    .at_end = [](void (*function)()) { end_of_library = function; },
    .end = end,
};

}  // namespace

void end_libraries() {
  if (end_of_library != nullptr) end_of_library();
}

}  // namespace warpgrade::cuda

extern "C" const warpgrade::cuda::Services *cudaWarpgradeServices() {
  return &warpgrade::cuda::services;
}
