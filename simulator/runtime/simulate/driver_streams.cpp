// The driver API: streams, events, and streams that are captured into graphs.
#include "runtime/simulate/driver.hpp"

using namespace warpgrade::cuda;

namespace {

template <class Call>
CUresult plain(const Call &call) {
  return through_runtime(Needs::context, call);
}

}  // namespace

extern "C" {

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

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return plain([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *to) {
  return plain([&] { return cudaStreamGetFlags(stream, to); });
}
CUresult cuStreamGetPriority(CUstream stream, int *to) {
  return plain([&] { return cudaStreamGetPriority(stream, to); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *to) {
  return plain([&] { return cudaStreamGetId(stream, to); });
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return plain([&] { return cudaStreamCopyAttributes(to, from); });
}
CUresult stream_device(CUstream, CUdevice *) __asm__("cuStreamGetDevice");  // since CUDA 12.8
CUresult stream_device(CUstream stream, CUdevice *to) {
  return plain([&] { return cudaStreamGetDevice(stream, to); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *to) {
  int device = 0;
  const CUresult known = plain([&] { return cudaStreamGetDevice(stream, &device); });
  if (known != CUDA_SUCCESS || context_stack().back()->device == device)
    return known == CUDA_SUCCESS ? cuCtxGetCurrent(to) : known;
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = reinterpret_cast<CUcontext>(&driver_state().primary[static_cast<std::size_t>(device)]);
  return CUDA_SUCCESS;
}
CUresult stream_context(CUstream, CUcontext *, void **) __asm__("cuStreamGetCtx_v2");
CUresult stream_context(CUstream stream, CUcontext *to, void **green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, to);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return plain([&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult begin_capture_v1(CUstream) __asm__("cuStreamBeginCapture");
CUresult begin_capture_v1(CUstream stream) {
  return cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *to) {
  return plain([&] { return cudaStreamEndCapture(stream, to); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaStreamCaptureStatus status{};
  const CUresult result = plain([&] { return cudaStreamIsCapturing(stream, &status); });
  *to = static_cast<CUstreamCaptureStatus>(status);
  return result;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto same = static_cast<cudaStreamCaptureMode>(*mode);
  const CUresult result = plain([&] { return cudaThreadExchangeStreamCaptureMode(&same); });
  *mode = static_cast<CUstreamCaptureMode>(same);
  return result;
}

// The toolkits differ in the parameters of this one: CUDA 13 has data of edges, which is _v3 in CUDA 12.
cudaError_t runtime_capture_info(CUstream, cudaStreamCaptureStatus *, unsigned long long *, CUgraph *,
                                 const CUgraphNode **, size_t *) __asm__("cudaStreamGetCaptureInfo_v2");
CUresult capture_info_v2(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                         size_t *) __asm__("cuStreamGetCaptureInfo_v2");
CUresult capture_info_v2(CUstream stream, CUstreamCaptureStatus *to, cuuint64_t *id, CUgraph *graph,
                         const CUgraphNode **nodes, size_t *count) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaStreamCaptureStatus status{};
  unsigned long long number = 0;
  const CUresult result =
      plain([&] { return runtime_capture_info(stream, &status, &number, graph, nodes, count); });
  *to = static_cast<CUstreamCaptureStatus>(status);
  if (id != nullptr) *id = number;
  return result;
}
CUresult capture_info_v1(CUstream, CUstreamCaptureStatus *, cuuint64_t *) __asm__("cuStreamGetCaptureInfo");
CUresult capture_info_v1(CUstream stream, CUstreamCaptureStatus *to, cuuint64_t *id) {
  return capture_info_v2(stream, to, id, nullptr, nullptr, nullptr);
}
CUresult capture_info_v3(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                         const void **, size_t *) __asm__("cuStreamGetCaptureInfo_v3");
CUresult capture_info_v3(CUstream stream, CUstreamCaptureStatus *to, cuuint64_t *id, CUgraph *graph,
                         const CUgraphNode **nodes, const void **edges, size_t *count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info_v2(stream, to, id, graph, nodes, count);
}

}  // extern "C"
