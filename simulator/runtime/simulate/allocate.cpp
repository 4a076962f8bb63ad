// Memory: device, pinned, managed; what it is called, how much there is.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "runtime/copies.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace backend {

bool takes_a_pointer(const char *, void **to) {
  return to != nullptr;
}

cudaError_t allocate(const char *, void **to, std::uint64_t bytes) {
  Runtime &r = runtime();
  if (bytes > available_bytes()) return cudaErrorMemoryAllocation;
  const std::string name = fmt::format("allocation {}", ++r.allocations);
  try {
    const Address address = r.device->allocate(bytes, name);
    r.add_block({address, bytes, Kind::device, name, true, 0, true});
    r.usage[r.current].used_bytes += bytes;
    *to = pointer(address);
  } catch (const simt::OutOfMemory &) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

std::uint64_t available_bytes() {
  return device().figures.global_bytes - runtime().usage[runtime().current].used_bytes;
}

}  // namespace backend

namespace {

cudaError_t allocate_visible(Runtime &r, void **to, std::uint64_t bytes, Kind kind, unsigned flags) {
  if (bytes > backend::device().figures.global_bytes) return cudaErrorMemoryAllocation;
  const std::span<std::byte> memory = r.visible.allocate(bytes);
  if (memory.empty()) return cudaErrorMemoryAllocation;
  const std::string name =
      fmt::format("{} allocation {}", kind == Kind::managed ? "managed" : "pinned", ++r.allocations);
  r.device->map(memory, name);
  r.add_block({number(memory.data()), bytes, kind, name, true, flags, true});
  *to = memory.data();
  return cudaSuccess;
}

/// Why a pointer cannot be freed, said once more where that helps; the runtime answers cudaErrorInvalidValue.
cudaError_t refuse_to_free(Runtime &r, const char *call, const void *p, const Block *block) {
  const Address a = number(p);
  if (block != nullptr && block->begin == a && !block->live) {
    r.mistake(call, "double_free", fmt::format("{} was freed before", block->name), block->name);
  } else if (block != nullptr && block->begin == a) {
    const bool pinned = block->kind == Kind::pinned;
    r.mistake(call, "invalid_free",
              block->allocated
                  ? fmt::format("{} is {} memory, which {} frees", block->name,
                                pinned ? "pinned host" : "device", pinned ? "cudaFreeHost" : "cudaFree")
                  : fmt::format("{} was not allocated by a call", block->name),
              block->name);
  } else if (block != nullptr) {
    r.mistake(call, "invalid_free",
              fmt::format("the pointer is {}, not the start of an allocation", place_name(*block, a)),
              block->name);
  } else {
    const auto where = host_memory_at(a);
    r.mistake(
        call, "invalid_free",
        fmt::format("{:#x} is {}, not the start of an allocation", a, where ? *where : "nothing known"));
  }
  return cudaErrorInvalidValue;
}

cudaError_t release(Runtime &r, const char *call, void *p, bool host) {
  Block *block = r.blocks.at(number(p));
  const bool right = block != nullptr && block->begin == number(p) && block->live && block->allocated &&
                     (block->kind == Kind::pinned) == host;
  if (!right) return refuse_to_free(r, call, p, block);
  r.device->free(block->begin);
  block->live = false;
  if (block->pooled) r.usage[block->device].pool_bytes -= block->bytes;
  if (block->kind == Kind::device)
    r.usage[block->device].used_bytes -= block->bytes;
  else
    VisibleMemory::release({static_cast<std::byte *>(p), block->bytes});
  return cudaSuccess;
}

/// The block of host memory that contains a pointer of the program.
Block *host_block(Runtime &r, const void *p) {
  Block *block = r.blocks.at(number(p));
  const bool fits = block != nullptr && block->live && number(p) < block->end() &&
                    (block->kind == Kind::pinned || block->kind == Kind::registered);
  return fits ? block : nullptr;
}

}  // namespace

namespace backend {

cudaError_t allocate_host(const char *, void **to, std::uint64_t bytes, unsigned flags) {
  return allocate_visible(runtime(), to, bytes, Kind::pinned, flags);
}
cudaError_t release(const char *call, void *p, cudaStream_t stream) {
  Runtime &r = runtime();
  if (!is_captured(r, stream)) {
    const bool in_stream = std::string_view(call) == "cudaFreeAsync";
    const Block *const block = r.blocks.starting_at(number(p));
    if (block && block->live && block->pooled)
      r.order.frees(r, call, *block, in_stream ? std::optional(number(stream)) : std::nullopt);
    else if (block && block->device != r.current)
      r.order.host_waits_for_device(r, block->device);
    return cuda::release(r, call, p, false);
  }
  Block *block = r.blocks.starting_at(number(p));
  if (block == nullptr) return cudaErrorInvalidValue;
  block->allocated = false;  // the graph frees it; it is not a leak
  return submit(call, stream, FreeWork{p});
}
cudaError_t release_host(const char *call, void *p) {
  return cuda::release(runtime(), call, p, true);
}

cudaError_t register_host(void *p, std::size_t bytes, unsigned flags) {
  Runtime &r = runtime();
  try {
    r.device->map({static_cast<std::byte *>(p), bytes}, "registered host memory");
  } catch (const simt::BadAddress &) {
    return cudaErrorHostMemoryAlreadyRegistered;
  }
  r.add_block({number(p), bytes, Kind::registered, "registered host memory", true, flags, false});
  return cudaSuccess;
}
cudaError_t unregister_host(void *p) {
  Runtime &r = runtime();
  const Block *block = r.blocks.starting_at(number(p));
  if (block == nullptr || block->kind != Kind::registered) return cudaErrorHostMemoryNotRegistered;
  r.device->free(block->begin);
  r.blocks.forget(block->begin);  // the host goes on using it
  return cudaSuccess;
}
cudaError_t host_flags(const void *p, unsigned &flags) {
  const Block *block = host_block(runtime(), p);
  if (block == nullptr) return cudaErrorInvalidValue;
  flags = block->flags | cudaHostAllocMapped;  // what unified addressing adds
  return cudaSuccess;
}

MemoryKind kind_of(const void *p) {
  const Block *block = runtime().blocks.at(number(p));
  if (block == nullptr || !block->live || number(p) >= block->end()) return MemoryKind::unknown;
  if (block->kind == Kind::managed) return MemoryKind::managed;
  return block->host_sees_it() ? MemoryKind::host : MemoryKind::device;
}
int device_of(const void *p) {
  const Block *block = runtime().blocks.at(number(p));
  return block == nullptr ? 0 : block->device;
}

}  // namespace backend
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaMalloc3D(cudaPitchedPtr *to, cudaExtent extent) {
  constexpr const char *call = "cudaMalloc3D";
  return api(call, Waits::yes, [&](Runtime &) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {nullptr, 0, extent.width, extent.height};
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorMemoryAllocation;
    return allocate_rows(call, &to->ptr, &to->pitch, extent.width, rows);
  });
}
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  return api("cudaMallocManaged", Waits::yes, [&](Runtime &r) {
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || p == nullptr)
      return cudaErrorInvalidValue;
    *p = nullptr;
    return bytes == 0 ? cudaSuccess : allocate_visible(r, p, bytes, Kind::managed, flags);
  });
}
cudaError_t cudaHostGetDevicePointer(void **to, void *p, unsigned flags) {
  return api("cudaHostGetDevicePointer", Waits::no, [&](Runtime &r) {
    if (to == nullptr || flags != 0 || host_block(r, p) == nullptr) return cudaErrorInvalidValue;
    *to = p;
    return cudaSuccess;
  });
}

}  // extern "C"
