// The driver API: memory, copies, streams and events.
#include "cuda/copies.hpp"
#include "cuda/simulate/driver.hpp"

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

/// One side of a copy of boxes; false for arrays.
bool place_of(CUmemorytype type, const void *host, CUdeviceptr device, const CUDA_MEMCPY3D &c, bool source,
              Place &to) {
  if (type == CU_MEMORYTYPE_ARRAY) return false;
  const size_t pitch = source ? c.srcPitch : c.dstPitch, rows = source ? c.srcHeight : c.dstHeight;
  const size_t x = source ? c.srcXInBytes : c.dstXInBytes, y = source ? c.srcY : c.dstY,
               z = source ? c.srcZ : c.dstZ;
  auto *const first =
      static_cast<std::byte *>(type == CU_MEMORYTYPE_HOST ? const_cast<void *>(host) : at(device));
  to.pitch = pitch != 0 ? pitch : c.WidthInBytes;
  to.slice = to.pitch * (rows != 0 ? rows : c.Height);
  to.at = first + z * to.slice + y * to.pitch + x;
  return true;
}

cudaError_t box_copy(Runtime &r, const char *call, const CUDA_MEMCPY3D *c, CopyWork &work) {
  if (c == nullptr) return cudaErrorInvalidValue;
  if (!place_of(c->srcMemoryType, c->srcHost, c->srcDevice, *c, true, work.from) ||
      !place_of(c->dstMemoryType, c->dstHost, c->dstDevice, *c, false, work.to)) {
    r.not_supported(call, "arrays of the driver API; use those of the runtime");
    return cudaErrorNotSupported;
  }
  work.box = {c->WidthInBytes, c->Height, c->Depth};
  work.kind = cudaMemcpyDefault;
  return cudaSuccess;
}

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D &c) {
  CUDA_MEMCPY3D to{};
  to.srcXInBytes = c.srcXInBytes, to.srcY = c.srcY, to.srcMemoryType = c.srcMemoryType;
  to.srcHost = c.srcHost, to.srcDevice = c.srcDevice, to.srcPitch = c.srcPitch;
  to.dstXInBytes = c.dstXInBytes, to.dstY = c.dstY, to.dstMemoryType = c.dstMemoryType;
  to.dstHost = c.dstHost, to.dstDevice = c.dstDevice, to.dstPitch = c.dstPitch;
  to.WidthInBytes = c.WidthInBytes, to.Height = c.Height, to.Depth = 1;
  return to;
}

CUresult copy_box(const char *call, const CUDA_MEMCPY3D *c, bool waits, CUstream stream) {
  return driver_call(call, waits ? Waits::yes : Waits::no, Needs::context, [&](Runtime &r) {
    CopyWork work;
    if (const cudaError_t error = box_copy(r, call, c, work); error != cudaSuccess) return error;
    return waits ? copy(r, call, work) : submit(r, call, stream, work);
  });
}

template <class Call>
CUresult plain(const Call &call) {
  return through_runtime(Needs::context, call);
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
        *static_cast<Context **>(to) = context_stack().back();
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
        *static_cast<int *>(to) = 0;
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

CUresult cuCtxSynchronize() {
  return driver_call("cuCtxSynchronize", Waits::yes, Needs::context, [](Runtime &) { return cudaSuccess; });
}
CUresult cuStreamCreate(CUstream *to, unsigned flags) {
  return plain([&] { return cudaStreamCreateWithFlags(to, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream *to, unsigned flags, int priority) {
  return plain([&] { return cudaStreamCreateWithPriority(to, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return plain([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return plain([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return plain([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return plain([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return plain([&] { return cudaLaunchHostFunc(stream, function, data); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned flags) {
  // The runtime's callback takes an error code of its own type; the numbers are the same.
  return plain([&] {
    return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(function), data, flags);
  });
}
CUresult cuEventCreate(CUevent *to, unsigned flags) {
  return plain([&] { return cudaEventCreateWithFlags(to, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return plain([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return plain([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventSynchronize(CUevent event) {
  return plain([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
  return plain([&] { return cudaEventQuery(event); });
}
CUresult event_time(float *, CUevent, CUevent) __asm__("cuEventElapsedTime");
CUresult event_time(float *to, CUevent start, CUevent stop) {
  return plain([&] { return cudaEventElapsedTime(to, start, stop); });
}
CUresult event_time_v2(float *, CUevent, CUevent) __asm__("cuEventElapsedTime_v2");
CUresult event_time_v2(float *to, CUevent start, CUevent stop) {
  return event_time(to, start, stop);
}

}  // extern "C"
