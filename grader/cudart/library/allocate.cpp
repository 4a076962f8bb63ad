// Memory: device, pinned, managed; what it is called, how much there is.
#include <fmt/format.h>

#include <algorithm>

#include "cudart/library/device_facts.hpp"
#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

constexpr std::uint64_t too_much = 1ull << 46;

}  // namespace

cudaError_t allocate_on_device(Runtime &r, void **to, std::uint64_t bytes) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > device_facts.global_bytes || r.used_bytes > device_facts.global_bytes - bytes)
    return cudaErrorMemoryAllocation;
  const std::string name = fmt::format("allocation {}", ++r.allocations);
  try {
    const Address address = r.device->allocate(bytes, name);
    r.blocks.add({address, bytes, Kind::device, name, true, 0, true});
    r.used_bytes += bytes;
    *to = pointer(address);
  } catch (const simt::OutOfMemory &) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

namespace {

cudaError_t allocate_visible(Runtime &r, void **to, std::uint64_t bytes, Kind kind, unsigned flags) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > device_facts.global_bytes) return cudaErrorMemoryAllocation;
  const std::span<std::byte> memory = r.visible.allocate(bytes);
  if (memory.empty()) return cudaErrorMemoryAllocation;
  const std::string name =
      fmt::format("{} allocation {}", kind == Kind::managed ? "managed" : "pinned", ++r.allocations);
  r.device->map(memory, name);
  r.blocks.add({number(memory.data()), bytes, kind, name, true, flags, true});
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
  if (p == nullptr) return cudaSuccess;
  Block *block = r.blocks.at(number(p));
  const bool right = block != nullptr && block->begin == number(p) && block->live && block->allocated &&
                     (block->kind == Kind::pinned) == host;
  if (!right) return refuse_to_free(r, call, p, block);
  r.device->free(block->begin);
  block->live = false;
  if (block->kind == Kind::device)
    r.used_bytes -= block->bytes;
  else
    VisibleMemory::release({static_cast<std::byte *>(p), block->bytes});
  return cudaSuccess;
}

}  // namespace

cudaError_t free_on_device(Runtime &r, const char *call, void *p) {
  return release(r, call, p, false);
}

namespace {

cudaError_t allocate_rows(Runtime &r, void **to, size_t *pitch, size_t width, size_t rows) {
  if (to == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  const size_t a = device_facts.alignment;
  *to = nullptr;
  *pitch = 0;
  if (width > too_much || (rows != 0 && width > too_much / rows)) return cudaErrorMemoryAllocation;
  *pitch = (width + a - 1) / a * a;
  return allocate_on_device(r, to, *pitch * rows);
}

/// The block of host memory that a pointer of the program lies in.
Block *host_block(Runtime &r, const void *p) {
  Block *block = r.blocks.at(number(p));
  const bool fits = block != nullptr && block->live && number(p) < block->end() &&
                    (block->kind == Kind::pinned || block->kind == Kind::registered);
  return fits ? block : nullptr;
}

}  // namespace
}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaMalloc(void **p, size_t bytes) {
  return api("cudaMalloc", Waits::yes, [&](Runtime &r) { return allocate_on_device(r, p, bytes); });
}
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return api("cudaMallocAsync", Waits::no, [&](Runtime &r) {
    const cudaError_t error = allocate_on_device(r, p, bytes);
    return error == cudaSuccess ? submit(r, "cudaMallocAsync", stream, AllocateWork{*p, bytes}) : error;
  });
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(p, bytes, stream);
}
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return api("cudaMallocPitch", Waits::yes,
             [&](Runtime &r) { return allocate_rows(r, p, pitch, width, height); });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *to, cudaExtent extent) {
  return api("cudaMalloc3D", Waits::yes, [&](Runtime &r) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {nullptr, 0, extent.width, extent.height};
    if (extent.height != 0 && extent.depth > too_much / extent.height) return cudaErrorMemoryAllocation;
    return allocate_rows(r, &to->ptr, &to->pitch, extent.width, extent.height * extent.depth);
  });
}
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  return api("cudaMallocManaged", Waits::yes, [&](Runtime &r) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate_visible(r, p, bytes, Kind::managed, flags);
  });
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  return api("cudaHostAlloc", Waits::no,
             [&](Runtime &r) { return allocate_visible(r, p, bytes, Kind::pinned, flags); });
}
cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return api("cudaMallocHost", Waits::no,
             [&](Runtime &r) { return allocate_visible(r, p, bytes, Kind::pinned, 0); });
}

cudaError_t cudaFree(void *p) {
  return api("cudaFree", Waits::yes, [&](Runtime &r) { return release(r, "cudaFree", p, false); });
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return api("cudaFreeAsync", Waits::no, [&](Runtime &r) {
    if (!is_captured(r, stream)) return release(r, "cudaFreeAsync", p, false);
    Block *block = r.blocks.starting_at(number(p));
    if (block == nullptr) return cudaErrorInvalidValue;
    block->allocated = false;  // the graph frees it; it is no leak
    return submit(r, "cudaFreeAsync", stream, FreeWork{p});
  });
}
cudaError_t cudaFreeHost(void *p) {
  return api("cudaFreeHost", Waits::yes, [&](Runtime &r) { return release(r, "cudaFreeHost", p, true); });
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return api("cudaHostRegister", Waits::no, [&](Runtime &r) {
    if (p == nullptr || bytes == 0) return cudaErrorInvalidValue;
    try {
      r.device->map({static_cast<std::byte *>(p), bytes}, "registered host memory");
    } catch (const warpgrade::simt::BadAddress &) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    r.blocks.add({number(p), bytes, Kind::registered, "registered host memory", true, flags, false});
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void *p) {
  return api("cudaHostUnregister", Waits::yes, [&](Runtime &r) {
    const Block *block = r.blocks.starting_at(number(p));
    if (block == nullptr || block->kind != Kind::registered) return cudaErrorHostMemoryNotRegistered;
    r.device->free(block->begin);
    r.blocks.forget(block->begin);  // the host goes on using it
    return cudaSuccess;
  });
}
cudaError_t cudaHostGetDevicePointer(void **to, void *p, unsigned flags) {
  return api("cudaHostGetDevicePointer", Waits::no, [&](Runtime &r) {
    if (to == nullptr || flags != 0 || host_block(r, p) == nullptr) return cudaErrorInvalidValue;
    *to = p;
    return cudaSuccess;
  });
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
  return api("cudaHostGetFlags", Waits::no, [&](Runtime &r) {
    const Block *block = host_block(r, p);
    if (flags == nullptr || block == nullptr) return cudaErrorInvalidValue;
    *flags = block->flags | cudaHostAllocMapped;  // what unified addressing adds
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  return api("cudaMemGetInfo", Waits::no, [&](Runtime &r) {
    if (available != nullptr) *available = device_facts.global_bytes - r.used_bytes;
    if (total != nullptr) *total = device_facts.global_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *to, const void *p) {
  return api("cudaPointerGetAttributes", Waits::no, [&](Runtime &r) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    const Block *block = r.blocks.at(number(p));
    void *const same = const_cast<void *>(p);
    if (block == nullptr || !block->live || number(p) >= block->end()) {
      to->type = cudaMemoryTypeUnregistered;
      to->device = cudaInvalidDeviceId;
      to->hostPointer = same;
      return cudaSuccess;
    }
    to->type = block->kind == Kind::managed ? cudaMemoryTypeManaged
               : block->host_sees_it()      ? cudaMemoryTypeHost
                                            : cudaMemoryTypeDevice;
    to->devicePointer = same;
    to->hostPointer = block->host_sees_it() ? same : nullptr;
    return cudaSuccess;
  });
}

WARPGRADE_ALSO(cudaMallocAsync, _ptsz);
WARPGRADE_ALSO(cudaMallocFromPoolAsync, _ptsz);
WARPGRADE_ALSO(cudaFreeAsync, _ptsz);

}  // extern "C"
