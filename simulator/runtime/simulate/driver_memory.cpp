// The driver API: memory and copies.
#include "runtime/copies.hpp"
#include "runtime/simulate/driver.hpp"

using namespace warpgrade::cuda;

namespace {

void *at(CUdeviceptr p) {
  return reinterpret_cast<void *>(p);
}

CUresult copy_now(const char *call, const CopyWork &work) {
  return driver_call(call, Waits::yes, Needs::context, [&](Runtime &r) { return copy(r, call, work); });
}
CUresult queue(const char *call, CUstream stream, const Work &work) {
  return driver_call(call, Waits::no, Needs::context,
                     [&](Runtime &r) { return submit(r, call, stream, work); });
}

FillWork filled(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height) {
  return {{at(to), height == 1 ? width * element : pitch}, value, element, {width * element, height}};
}
CUresult fill_now(const char *call, const FillWork &work) {
  return driver_call(call, Waits::yes, Needs::context, [&](Runtime &r) { return fill(r, call, work); });
}

/// One side of a copy of boxes.
struct BoxSide {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, rows, x, y, z;
};

cudaError_t place_of(const Runtime &r, const BoxSide &side, const CUDA_MEMCPY3D &c, Place &to) {
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    const Array *array = find_array(r, side.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const auto fits = [](size_t first, size_t count, size_t all) {
      return first <= all && count <= all - first;
    };
    const warpgrade::simt::Image &image = array->image;
    if (!fits(side.x, c.WidthInBytes, image.pitch) || !fits(side.y, c.Height, image.height) ||
        !fits(side.z, c.Depth, image.depth))
      return cudaErrorInvalidValue;
    to = array->place(side.x, side.y, side.z);
    return cudaSuccess;
  }
  auto *const first = static_cast<std::byte *>(side.type == CU_MEMORYTYPE_HOST ? const_cast<void *>(side.host)
                                                                               : at(side.device));
  to.pitch = side.pitch != 0 ? side.pitch : c.WidthInBytes;
  to.slice = to.pitch * (side.rows != 0 ? side.rows : c.Height);
  to.at = first + side.z * to.slice + side.y * to.pitch + side.x;
  return cudaSuccess;
}

}  // namespace

cudaError_t warpgrade::cuda::make_box_copy(Runtime &r, const CUDA_MEMCPY3D *given, CopyWork &work) {
  if (given == nullptr) return cudaErrorInvalidValue;
  const CUDA_MEMCPY3D &c = *given;
  cudaError_t error = place_of(r,
                               {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, c.srcHeight,
                                c.srcXInBytes, c.srcY, c.srcZ},
                               c, work.from);
  if (error != cudaSuccess) return error;
  error = place_of(r,
                   {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, c.dstHeight,
                    c.dstXInBytes, c.dstY, c.dstZ},
                   c, work.to);
  work.box = {c.WidthInBytes, c.Height, c.Depth};
  work.kind = cudaMemcpyDefault;
  return error;
}

namespace {

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D &c) {
  CUDA_MEMCPY3D to{};
  to.srcXInBytes = c.srcXInBytes, to.srcY = c.srcY, to.srcMemoryType = c.srcMemoryType;
  to.srcHost = c.srcHost, to.srcDevice = c.srcDevice, to.srcArray = c.srcArray, to.srcPitch = c.srcPitch;
  to.dstXInBytes = c.dstXInBytes, to.dstY = c.dstY, to.dstMemoryType = c.dstMemoryType;
  to.dstHost = c.dstHost, to.dstDevice = c.dstDevice, to.dstArray = c.dstArray, to.dstPitch = c.dstPitch;
  to.WidthInBytes = c.WidthInBytes, to.Height = c.Height, to.Depth = 1;
  return to;
}

CUresult copy_box(const char *call, const CUDA_MEMCPY3D *c, bool waits, CUstream stream) {
  return driver_call(call, waits ? Waits::yes : Waits::no, Needs::context, [&](Runtime &r) {
    CopyWork work;
    if (const cudaError_t error = make_box_copy(r, c, work); error != cudaSuccess) return error;
    return waits ? copy(r, call, work) : submit(r, call, stream, work);
  });
}

template <class Call>
CUresult plain(const Call &call) {
  return through_runtime(Needs::context, call);
}

/// A device, or CU_DEVICE_CPU, as CUmemLocation in a register: the type below the number.
std::uint64_t place_number(CUdevice device) {
  const bool host = device == CU_DEVICE_CPU;
  const auto type = static_cast<std::uint32_t>(host ? 2 : CU_MEM_LOCATION_TYPE_DEVICE);
  return type | std::uint64_t{static_cast<std::uint32_t>(host ? 0 : device)} << 32;
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr *to, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return driver_call("cuMemAlloc", Waits::yes, Needs::context,
                     [&](Runtime &) { return allocate("cuMemAlloc", reinterpret_cast<void **>(to), bytes); });
}
CUresult cuMemFree(CUdeviceptr p) {
  return driver_call("cuMemFree", Waits::yes, Needs::context, [&](Runtime &) {
    return p == 0 ? cudaSuccess : backend::release("cuMemFree", at(p), nullptr);
  });
}
CUresult cuMemAllocPitch(CUdeviceptr *to, size_t *pitch, size_t width, size_t height, unsigned) {
  return plain([&] { return cudaMallocPitch(reinterpret_cast<void **>(to), pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr *to, size_t bytes, unsigned flags) {
  return plain([&] { return cudaMallocManaged(reinterpret_cast<void **>(to), bytes, flags); });
}
CUresult cuMemAllocHost(void **to, size_t bytes) {
  return plain([&] { return cudaMallocHost(to, bytes); });
}
CUresult cuMemHostAlloc(void **to, size_t bytes, unsigned flags) {
  return plain([&] { return cudaHostAlloc(to, bytes, flags); });
}
CUresult cuMemFreeHost(void *p) {
  return plain([&] { return cudaFreeHost(p); });
}
CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags) {
  return plain([&] { return cudaHostRegister(p, bytes, flags); });
}
CUresult cuMemHostUnregister(void *p) {
  return plain([&] { return cudaHostUnregister(p); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *to, void *p, unsigned flags) {
  return plain([&] { return cudaHostGetDevicePointer(reinterpret_cast<void **>(to), p, flags); });
}
CUresult cuMemGetInfo(size_t *available, size_t *total) {
  return plain([&] { return cudaMemGetInfo(available, total); });
}
CUresult cuMemAllocAsync(CUdeviceptr *to, size_t bytes, CUstream stream) {
  return plain([&] { return cudaMallocAsync(reinterpret_cast<void **>(to), bytes, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) {
  return plain([&] { return cudaFreeAsync(at(p), stream); });
}
CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes, CUdeviceptr p) {
  return driver_call("cuMemGetAddressRange", Waits::no, Needs::context, [&](Runtime &r) {
    const Block *block = r.blocks.at(p);
    if (block == nullptr || !block->live) return cudaErrorSymbolNotFound;
    if (begin != nullptr) *begin = block->begin;
    if (bytes != nullptr) *bytes = block->bytes;
    return cudaSuccess;
  });
}
CUresult cuPointerGetAttribute(void *to, CUpointer_attribute attribute, CUdeviceptr p) {
  return driver_call("cuPointerGetAttribute", Waits::no, Needs::context, [&](Runtime &r) {
    const Block *block = r.blocks.at(p);
    if (to == nullptr || block == nullptr || !block->live) return cudaErrorInvalidValue;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<Context **>(to) = context_stack().back()->device == block->device
                                           ? context_stack().back()
                                           : &driver_state().primary[static_cast<std::size_t>(block->device)];
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned *>(to) =
            block->host_sees_it() && block->kind != Kind::managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr *>(to) = p;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!block->host_sees_it()) return cudaErrorInvalidValue;
        *static_cast<void **>(to) = at(p);
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned *>(to) = block->kind == Kind::managed;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int *>(to) = block->device;
        return cudaSuccess;
      default:
        r.not_supported("cuPointerGetAttribute", "this attribute");
        return cudaErrorNotSupported;
    }
  });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copy_now("cuMemcpyHtoD", line_copy(at(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpyDtoH", line_copy(to, at(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpyDtoD", line_copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpy", line_copy(at(to), at(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return queue("cuMemcpyHtoDAsync", stream, line_copy(at(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return queue("cuMemcpyDtoHAsync", stream, line_copy(to, at(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return queue("cuMemcpyDtoDAsync", stream, line_copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return queue("cuMemcpyAsync", stream, line_copy(at(to), at(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) {
  return copy_box("cuMemcpy3D", c, true, nullptr);
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream) {
  return copy_box("cuMemcpy3DAsync", c, false, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) {
  if (c == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D box = flat(*c);
  return copy_box("cuMemcpy2D", &box, true, nullptr);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) {
  return cuMemcpy2D(c);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream) {
  if (c == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D box = flat(*c);
  return copy_box("cuMemcpy2DAsync", &box, false, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_now("cuMemsetD8", filled(to, 0, value, 1, count, 1));
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_now("cuMemsetD16", filled(to, 0, value, 2, count, 1));
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill_now("cuMemsetD32", filled(to, 0, value, 4, count, 1));
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_now("cuMemsetD2D8", filled(to, pitch, value, 1, width, height));
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill_now("cuMemsetD2D32", filled(to, pitch, value, 4, width, height));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return queue("cuMemsetD8Async", stream, filled(to, 0, value, 1, count, 1));
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return queue("cuMemsetD16Async", stream, filled(to, 0, value, 2, count, 1));
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return queue("cuMemsetD32Async", stream, filled(to, 0, value, 4, count, 1));
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill_now("cuMemsetD2D16", filled(to, pitch, value, 2, width, height));
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return queue("cuMemsetD2D8Async", stream, filled(to, pitch, value, 1, width, height));
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return queue("cuMemsetD2D16Async", stream, filled(to, pitch, value, 2, width, height));
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream) {
  return queue("cuMemsetD2D32Async", stream, filled(to, pitch, value, 4, width, height));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      size_t bytes) {
  if (!is_context(to_context) || !is_context(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_now("cuMemcpyPeer", line_copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream) {
  if (!is_context(to_context) || !is_context(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  return queue("cuMemcpyPeerAsync", stream, line_copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemHostGetFlags(unsigned *flags, void *p) {
  return plain([&] { return cudaHostGetFlags(flags, p); });
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **to, CUdeviceptr p) {
  if (attributes == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (const CUresult result = cuPointerGetAttribute(to[i], attributes[i], p); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags) {
  return plain([&] { return cudaStreamAttachMemAsync(stream, at(p), bytes, flags); });
}

// Pools: the handles and the numbers of attributes are the runtime's.
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *to, CUdevice device) {
  return plain([&] { return cudaDeviceGetDefaultMemPool(to, device); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool *to, CUdevice device) {
  return plain([&] { return cudaDeviceGetMemPool(to, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return plain([&] { return cudaDeviceSetMemPool(device, pool); });
}
CUresult cuMemPoolCreate(CUmemoryPool *to, const CUmemPoolProps *) {
  const cudaMemPoolProps any{};  // all pools are alike
  return plain([&] { return cudaMemPoolCreate(to, &any); });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return plain([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return plain([&] { return cudaMemPoolTrimTo(pool, keep); });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return plain([&] { return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return plain([&] { return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  return plain([&] {  // the same struct under another name
    return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc *>(access), count);
  });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *to, CUmemoryPool pool, CUmemLocation *where) {
  if (to == nullptr || where == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaMemAccessFlags flags{};
  const CUresult result =
      plain([&] { return cudaMemPoolGetAccess(&flags, pool, reinterpret_cast<cudaMemLocation *>(where)); });
  *to = static_cast<CUmemAccess_flags>(flags);
  return result;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *to, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return plain([&] { return cudaMallocFromPoolAsync(reinterpret_cast<void **>(to), bytes, pool, stream); });
}

// Advice for managed memory. CUDA 12 names places by device here, CUDA 13 by CUmemLocation, and CUDA 12 in _v2.
cudaError_t advise_by_place(const void *, size_t, cudaMemoryAdvise,
                            std::uint64_t) __asm__("cudaMemAdvise_v2");
cudaError_t move_to_place(const void *, size_t, std::uint64_t) __asm__("cudaMemPrefetchAsync_v2");
CUresult mem_advise_v2(CUdeviceptr, size_t, CUmem_advise, std::uint64_t) __asm__("cuMemAdvise_v2");
CUresult mem_advise_v2(CUdeviceptr p, size_t bytes, CUmem_advise what, std::uint64_t where) {
  return plain([&] { return advise_by_place(at(p), bytes, static_cast<cudaMemoryAdvise>(what), where); });
}
CUresult mem_advise(CUdeviceptr, size_t, CUmem_advise, CUdevice) __asm__("cuMemAdvise");
CUresult mem_advise(CUdeviceptr p, size_t bytes, CUmem_advise what, CUdevice device) {
  return mem_advise_v2(p, bytes, what, place_number(device));
}
CUresult mem_prefetch_v2(CUdeviceptr, size_t, std::uint64_t, unsigned,
                         CUstream) __asm__("cuMemPrefetchAsync_v2");
CUresult mem_prefetch_v2(CUdeviceptr p, size_t bytes, std::uint64_t where, unsigned, CUstream) {
  return plain([&] { return move_to_place(at(p), bytes, where); });
}
CUresult mem_prefetch(CUdeviceptr, size_t, CUdevice, CUstream) __asm__("cuMemPrefetchAsync");
CUresult mem_prefetch(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream) {
  return mem_prefetch_v2(p, bytes, place_number(device), 0, stream);
}
CUresult cuMemRangeGetAttribute(void *to, size_t to_bytes, CUmem_range_attribute attribute, CUdeviceptr p,
                                size_t bytes) {
  return plain([&] {
    return cudaMemRangeGetAttribute(to, to_bytes, static_cast<cudaMemRangeAttribute>(attribute), at(p),
                                    bytes);
  });
}
CUresult cuMemRangeGetAttributes(void **to, size_t *to_bytes, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr p, size_t bytes) {
  return plain([&] {
    return cudaMemRangeGetAttributes(to, to_bytes, reinterpret_cast<cudaMemRangeAttribute *>(attributes),
                                     count, at(p), bytes);
  });
}

}  // extern "C"
