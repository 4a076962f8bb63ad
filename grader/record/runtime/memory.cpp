// Device memory: allocations, copies to and within the device, fills, symbols. Reading back is refused.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "record/runtime/api.hpp"

namespace warpgrade::record {

Slot *slot_at(const void *p) {
  if (!on_device(p)) return nullptr;
  const std::uint64_t slot = plan::slot_of(number(p));
  return slot < worker().slots.size() ? &worker().slots[slot] : nullptr;
}

std::string place_name(const void *p) {
  const Slot *slot = slot_at(p);
  if (slot == nullptr) return "an address that belongs to no buffer";
  const std::int64_t offset = plan::offset_in_slot(number(p));
  if (offset == 0) return slot->name;
  return slot->name + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset)) + " bytes";
}

namespace {

constexpr const char *no_reading =
    "reads results back to the host; a launcher may only start work, so what it launches cannot depend on "
    "results";

/// A block of memory as copies see it: `rows` runs of `width` bytes, `pitch` apart.
struct Block {
  std::uint64_t width, rows, pitch;
};

// Null when the block lies inside a live buffer; otherwise the plan is refused, in words.
bool inside(const char *call, const void *p, const Block &block, const char *does) {
  const Slot *slot = slot_at(p);
  if (slot == nullptr) {
    refuse(call, place_name(p));
    return false;
  }
  if (!slot->live) {
    refuse(call, std::string(does) + " " + slot->name + ", which was freed");
    return false;
  }
  const std::uint64_t stride = block.rows > 1 ? block.pitch : 0;
  const unsigned __int128 span = static_cast<unsigned __int128>(block.rows - 1) * stride + block.width;
  const std::int64_t offset = plan::offset_in_slot(number(p));
  if (offset >= 0 && span + static_cast<std::uint64_t>(offset) <= slot->bytes) return true;
  const std::string size =
      span > ~std::uint64_t{0} ? "too many" : std::to_string(static_cast<std::uint64_t>(span));
  refuse(call, std::string(does) + " " + size + " bytes at " + place_name(p) + ", but " + slot->name +
                   " has " + std::to_string(slot->bytes));
  return false;
}

// A device address in `bytes` at a place that is aligned for one; nullptr if there is none. The replay has
// other addresses, and looks for them in the arguments of kernels only.
const void *address_in(std::span<const std::byte> bytes, const void *to) {
  for (std::size_t at = -number(to) % 8; at + 8 <= bytes.size(); at += 8) {
    const void *word = nullptr;
    std::memcpy(&word, &bytes[at], sizeof word);
    if (slot_at(word) != nullptr) return word;
  }
  return nullptr;
}

cudaError_t copy_in(const char *call, void *to, const void *from, std::uint64_t bytes) {
  Worker &state = worker();
  if (bytes > state.orders().limits.plan_bytes || state.uploaded > state.orders().limits.plan_bytes - bytes) {
    return refuse(call, "the launcher copies more than " + std::to_string(state.orders().limits.plan_bytes) +
                            " bytes to the device");
  }
  const auto *first = static_cast<const std::byte *>(from);
  const std::vector<std::byte> copy(
      first, first + bytes);  // first: this may fault, and must not cut a record in two
  if (const void *address = address_in(copy, to); address != nullptr) {
    return refuse(call, "copies a device pointer (" + place_name(address) +
                            ") as data; pass pointers as arguments of the kernel");
  }
  Writer *record = state.record(plan::Tag::copy_in, call);
  if (record == nullptr) return fail(cudaErrorNotSupported);
  state.uploaded += bytes;
  record->put(number(to));
  record->put_bytes(copy);
  return cudaSuccess;
}

cudaError_t copy_in(const char *call, void *to, std::uint64_t to_pitch, const void *from,
                    std::uint64_t from_pitch, const Block &block) {
  if (!inside(call, to, {block.width, block.rows, to_pitch}, "writes")) return fail(cudaErrorInvalidValue);
  if (block.rows == 1) return copy_in(call, to, from, block.width);
  for (std::uint64_t row = 0; row < block.rows; ++row) {
    const cudaError_t error = copy_in(call, static_cast<std::byte *>(to) + row * to_pitch,
                                      static_cast<const std::byte *>(from) + row * from_pitch, block.width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t copy_within(const char *call, void *to, std::uint64_t to_pitch, const void *from,
                        std::uint64_t from_pitch, const Block &block) {
  if (!inside(call, to, {block.width, block.rows, to_pitch}, "writes") ||
      !inside(call, from, {block.width, block.rows, from_pitch}, "reads")) {
    return fail(cudaErrorInvalidValue);
  }
  Writer *record = worker().record(plan::Tag::copy_within, call);
  if (record == nullptr) return fail(cudaErrorNotSupported);
  for (const std::uint64_t field :
       {number(to), number(from), block.width, block.rows, to_pitch, from_pitch}) {
    record->put(field);
  }
  return cudaSuccess;
}

/// "A, B and C are already on the device"
std::string already_there() {
  std::string names;
  const std::vector<plan::Buffer> &buffers = worker().orders().request.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    names += (i == 0 ? "" : i + 1 == buffers.size() ? " and " : ", ") + buffers[i].name;
  return names + " are already on the device";
}

bool is_argument(const void *p) {
  const Slot *slot = slot_at(p);
  return slot != nullptr && slot->owner == plan::Owner::judge;
}

// The commonest misconception gets an answer of its own: the launcher's arguments are taken for host memory.
cudaError_t wrong_direction(const char *call, const char *kind, const char *which, const void *p) {
  std::string rule = std::string(kind) + ", but its " + which + " is ";
  if (!on_device(p)) return refuse(call, rule + "host memory");
  if (!is_argument(p)) return refuse(call, rule + "device memory");
  return refuse(call, rule + place_name(p) + ": " + already_there() +
                          "; pass them to the kernel as they are, without cudaMalloc and without copies");
}

// One function for every copy: the direction is what the pointers say, and the kind must agree with it.
cudaError_t copy(const char *call, void *to, std::uint64_t to_pitch, const void *from,
                 std::uint64_t from_pitch, std::uint64_t width, std::uint64_t rows, cudaMemcpyKind kind) {
  if (width == 0 || rows == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue);
  if (rows > 1 && (to_pitch < width || from_pitch < width)) return fail(cudaErrorInvalidPitchValue);
  const bool device_to = on_device(to), device_from = on_device(from);
  switch (kind) {
    case cudaMemcpyHostToDevice:
      if (!device_to) return wrong_direction(call, "copies host to device", "destination", to);
      if (device_from) return wrong_direction(call, "copies host to device", "source", from);
      break;
    case cudaMemcpyDeviceToDevice:
      if (!device_to) return wrong_direction(call, "copies device to device", "destination", to);
      if (!device_from) return wrong_direction(call, "copies device to device", "source", from);
      break;
    case cudaMemcpyDeviceToHost:
      if (device_to && !device_from) return wrong_direction(call, "copies device to host", "source", from);
      if (is_argument(to)) return wrong_direction(call, "copies device to host", "destination", to);
      return refuse(call, no_reading);
    case cudaMemcpyHostToHost:
      if (device_to) return wrong_direction(call, "copies host to host", "destination", to);
      if (is_argument(from)) return wrong_direction(call, "copies host to host", "source", from);
      if (device_from) return refuse(call, no_reading);
      break;
    case cudaMemcpyDefault:
      break;
    default:
      return fail(cudaErrorInvalidMemcpyDirection);
  }
  const Block block{width, rows, 0};
  if (device_to) {
    return device_from ? copy_within(call, to, to_pitch, from, from_pitch, block)
                       : copy_in(call, to, to_pitch, from, from_pitch, block);
  }
  if (device_from) return refuse(call, no_reading);
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::memmove(static_cast<std::byte *>(to) + row * to_pitch,
                 static_cast<const std::byte *>(from) + row * from_pitch, width);
  }
  return cudaSuccess;
}

cudaError_t set(const char *call, void *to, std::uint64_t pitch, int value, std::uint64_t width,
                std::uint64_t rows) {
  if (width == 0 || rows == 0) return cudaSuccess;
  if (to == nullptr) return fail(cudaErrorInvalidValue);
  if (!on_device(to)) return refuse(call, "its destination is host memory");
  if (rows > 1 && pitch < width) return fail(cudaErrorInvalidPitchValue);
  if (!inside(call, to, {width, rows, pitch}, "writes")) return fail(cudaErrorInvalidValue);
  Writer *record = worker().record(plan::Tag::set_memory, call);
  if (record == nullptr) return fail(cudaErrorNotSupported);
  record->put(number(to));
  record->put<std::uint8_t>(static_cast<std::uint8_t>(value));
  for (const std::uint64_t field : {width, rows, rows > 1 ? pitch : 0}) record->put(field);
  return cudaSuccess;
}

cudaError_t allocate(const char *call, void **to, std::uint64_t bytes) {
  if (to == nullptr) return fail(cudaErrorInvalidValue);
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  *to = pointer(worker().allocate(bytes, call));
  return *to == nullptr ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

cudaError_t release(const char *call, void *p) {
  if (p == nullptr) return cudaSuccess;
  Slot *slot = slot_at(p);
  if (slot == nullptr) return refuse(call, "the pointer is not device memory");
  if (slot->owner != plan::Owner::student)
    return refuse(call, slot->name + " was not allocated by the launcher");
  if (plan::offset_in_slot(number(p)) != 0)
    return refuse(call, place_name(p) + " is not the start of an allocation");
  if (!slot->live) return refuse(call, slot->name + " was already freed");
  Writer *record = worker().record(plan::Tag::free, call);
  if (record == nullptr) return fail(cudaErrorNotSupported);
  record->put(number(p));
  slot->live = false;
  worker().scratch -= slot->bytes;
  return cudaSuccess;
}

Variable *variable_at(const void *symbol) {
  const auto found = worker().variables.find(symbol);
  return found == worker().variables.end() || !found->second.index ? nullptr : &found->second;
}

cudaError_t symbol_address(const char *call, void **address, const void *symbol) {
  Variable *variable = variable_at(symbol);
#ifdef WARPGRADE_CUDA_HEADERS  // these headers are for clang
  if (variable == nullptr)
    return refuse(
        call,
        "the variable is not in the device code: clang leaves out one whose type has no name (name its "
        "struct), and one that no kernel uses");
#endif
  if (variable == nullptr) return fail(cudaErrorInvalidSymbol);
  *address = pointer(worker().address_of(*variable, call));
  return *address == nullptr ? fail(cudaErrorInvalidSymbol) : cudaSuccess;
}

cudaError_t to_symbol(const char *call, const void *symbol, const void *from, size_t bytes, size_t offset,
                      cudaMemcpyKind kind) {
  void *base = nullptr;
  if (const cudaError_t error = symbol_address(call, &base, symbol); error != cudaSuccess) return error;
  return copy(call, static_cast<std::byte *>(base) + offset, bytes, from, bytes, bytes, 1, kind);
}

cudaError_t from_symbol(const char *call, void *to, const void *symbol, size_t bytes, size_t offset,
                        cudaMemcpyKind kind) {
  void *base = nullptr;
  if (!on_device(to)) return refuse(call, no_reading);
  if (const cudaError_t error = symbol_address(call, &base, symbol); error != cudaSuccess) return error;
  return copy(call, to, bytes, static_cast<std::byte *>(base) + offset, bytes, bytes, 1, kind);
}

cudaError_t host_allocate(void **to, size_t bytes) {
  if (to == nullptr) return fail(cudaErrorInvalidValue);
  *to = bytes == 0 ? nullptr : std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *to == nullptr && bytes != 0 ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

}  // namespace
}  // namespace warpgrade::record

using namespace warpgrade;
using record::worker;

extern "C" {

cudaError_t cudaMalloc(void **p, size_t bytes) {
  return record::allocate("cudaMalloc", p, bytes);
}
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t) {
  return record::allocate("cudaMallocAsync", p, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return record::allocate("cudaMallocFromPoolAsync", p, bytes);
}
cudaError_t cudaFree(void *p) {
  return record::release("cudaFree", p);
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t) {
  return record::release("cudaFreeAsync", p);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  constexpr size_t alignment = 512;  // what present GPUs answer
  if (p == nullptr || pitch == nullptr) return record::fail(cudaErrorInvalidValue);
  if (width > plan::largest_buffer || (height != 0 && width > plan::largest_buffer / height)) {
    return record::fail(cudaErrorMemoryAllocation);
  }
  *pitch = (width + alignment - 1) / alignment * alignment;
  return record::allocate("cudaMallocPitch", p, *pitch * height);
}

cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return record::host_allocate(p, bytes);
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned) {
  return record::host_allocate(p, bytes);
}
cudaError_t cudaFreeHost(void *p) {
  if (record::on_device(p)) return record::refuse("cudaFreeHost", "the pointer is device memory");
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *, size_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *) {
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *) {
  *flags = 0;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return record::copy("cudaMemcpy", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return record::copy("cudaMemcpyAsync", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return record::copy("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return record::copy("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return record::set("cudaMemset", to, 0, value, bytes, 1);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  return record::set("cudaMemsetAsync", to, 0, value, bytes, 1);
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return record::set("cudaMemset2D", to, pitch, value, width, height);
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return record::set("cudaMemset2DAsync", to, pitch, value, width, height);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return record::to_symbol("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return record::to_symbol("cudaMemcpyToSymbolAsync", symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return record::from_symbol("cudaMemcpyFromSymbol", to, symbol, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t) {
  return record::from_symbol("cudaMemcpyFromSymbolAsync", to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return record::symbol_address("cudaGetSymbolAddress", address, symbol);
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  const record::Variable *variable = record::variable_at(symbol);
  if (variable == nullptr) return record::fail(cudaErrorInvalidSymbol);
  *bytes = worker().orders().request.variables[*variable->index].bytes;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  *total = worker().orders().request.device.global_bytes;
  *available = std::min<size_t>(*total, worker().orders().limits.scratch_bytes) - worker().scratch;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
  *attributes = {};
  const bool device = record::on_device(p);
  attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->device = device ? 0 : cudaInvalidDeviceId;
  attributes->devicePointer = device ? const_cast<void *>(p) : nullptr;
  attributes->hostPointer = device ? nullptr : const_cast<void *>(p);
  return cudaSuccess;
}

// --default-stream per-thread renames the calls; a plan has one stream.
#define WARPGRADE_SAME(name, suffix) extern decltype(name) name##suffix __attribute__((alias(#name)))
WARPGRADE_SAME(cudaMemcpy, _ptds);
WARPGRADE_SAME(cudaMemcpy2D, _ptds);
WARPGRADE_SAME(cudaMemcpyToSymbol, _ptds);
WARPGRADE_SAME(cudaMemcpyFromSymbol, _ptds);
WARPGRADE_SAME(cudaMemset, _ptds);
WARPGRADE_SAME(cudaMemset2D, _ptds);
WARPGRADE_SAME(cudaMemcpyAsync, _ptsz);
WARPGRADE_SAME(cudaMemcpy2DAsync, _ptsz);
WARPGRADE_SAME(cudaMemcpyToSymbolAsync, _ptsz);
WARPGRADE_SAME(cudaMemcpyFromSymbolAsync, _ptsz);
WARPGRADE_SAME(cudaMemsetAsync, _ptsz);
WARPGRADE_SAME(cudaMemset2DAsync, _ptsz);
WARPGRADE_SAME(cudaMallocAsync, _ptsz);
WARPGRADE_SAME(cudaFreeAsync, _ptsz);
WARPGRADE_SAME(cudaMallocFromPoolAsync, _ptsz);

}  // extern "C"
