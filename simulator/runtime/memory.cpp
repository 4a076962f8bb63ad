// Memory: device and host, what there is of it and of which kind it is.
#include "runtime/attributes.hpp"
#include "runtime/copies.hpp"

namespace warpgrade::cuda {

cudaError_t allocate(const char *call, void **to, std::uint64_t bytes) {
  if (!backend::takes_a_pointer(call, to)) return cudaErrorInvalidValue;
  *to = nullptr;
  return bytes == 0 ? cudaSuccess : backend::allocate(call, to, bytes);
}

namespace {

constexpr std::uint64_t too_much = 1ull << 46;

cudaError_t allocate_in_stream(const char *call, void **to, std::uint64_t bytes, cudaStream_t stream,
                               const cudaMemPool_t *pool = nullptr) {
  return backend::enter(call, Waits::no, [&] {
    const backend::OnDevice its(pool != nullptr
                                    ? backend::device_of_pool(*pool)
                                    : backend::state().device_of(stream, backend::device().number));
    const cudaError_t error = allocate(call, to, bytes);
    return error == cudaSuccess ? backend::submit(call, stream, AllocateWork{*to, bytes}) : error;
  });
}

cudaError_t allocate_host(const char *call, void **to, std::uint64_t bytes, unsigned flags) {
  return backend::enter(call, Waits::no, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = nullptr;
    return bytes == 0 ? cudaSuccess : backend::allocate_host(call, to, bytes, flags);
  });
}

}  // namespace

cudaError_t allocate_rows(const char *call, void **to, std::size_t *pitch, std::size_t width,
                          std::size_t rows) {
  if (to == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  *to = nullptr;
  *pitch = 0;
  if (width > too_much || (rows != 0 && width > too_much / rows)) return cudaErrorMemoryAllocation;
  *pitch = (width + memory_alignment - 1) / memory_alignment * memory_alignment;
  return allocate(call, to, *pitch * rows);
}

}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaMalloc(void **p, size_t bytes) {
  return backend::enter("cudaMalloc", Waits::yes, [&] { return allocate("cudaMalloc", p, bytes); });
}
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
  return allocate_in_stream("cudaMallocAsync", p, bytes, stream);
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return allocate_in_stream("cudaMallocFromPoolAsync", p, bytes, stream, &pool);
}
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  constexpr const char *call = "cudaMallocPitch";
  return backend::enter(call, Waits::yes, [&] { return allocate_rows(call, p, pitch, width, height); });
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  return allocate_host("cudaHostAlloc", p, bytes, flags);
}
cudaError_t cudaMallocHost(void **p, size_t bytes) {
  return allocate_host("cudaMallocHost", p, bytes, 0);
}

cudaError_t cudaFree(void *p) {
  return backend::enter("cudaFree", Waits::yes, [&] {
    return p == nullptr ? cudaSuccess : backend::release("cudaFree", p, nullptr);
  });
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return backend::enter("cudaFreeAsync", Waits::no, [&] {
    return p == nullptr ? cudaSuccess : backend::release("cudaFreeAsync", p, stream);
  });
}
cudaError_t cudaFreeHost(void *p) {
  return backend::enter("cudaFreeHost", Waits::yes, [&] {
    return p == nullptr ? cudaSuccess : backend::release_host("cudaFreeHost", p);
  });
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
  return backend::enter("cudaHostRegister", Waits::no, [&] {
    return p == nullptr || bytes == 0 ? cudaErrorInvalidValue : backend::register_host(p, bytes, flags);
  });
}
cudaError_t cudaHostUnregister(void *p) {
  return backend::enter("cudaHostUnregister", Waits::yes, [&] { return backend::unregister_host(p); });
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
  return backend::enter("cudaHostGetFlags", Waits::no, [&] {
    return flags == nullptr ? cudaErrorInvalidValue : backend::host_flags(p, *flags);
  });
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  return backend::enter("cudaMemGetInfo", Waits::no, [&] {
    if (available != nullptr) *available = backend::available_bytes();
    if (total != nullptr) *total = backend::device().figures.global_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *to, const void *p) {
  return backend::enter("cudaPointerGetAttributes", Waits::no, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    constexpr cudaMemoryType types[] = {cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice,
                                        cudaMemoryTypeManaged};
    const MemoryKind kind = backend::kind_of(p);
    *to = {};
    to->type = types[static_cast<int>(kind)];
    to->device = kind == MemoryKind::unknown ? cudaInvalidDeviceId : backend::device_of(p);
    to->devicePointer = kind == MemoryKind::unknown ? nullptr : const_cast<void *>(p);
    to->hostPointer = kind == MemoryKind::device ? nullptr : const_cast<void *>(p);
    return cudaSuccess;
  });
}

WARPGRADE_ALSO(cudaMallocAsync, _ptsz);
WARPGRADE_ALSO(cudaMallocFromPoolAsync, _ptsz);
WARPGRADE_ALSO(cudaFreeAsync, _ptsz);

}  // extern "C"
