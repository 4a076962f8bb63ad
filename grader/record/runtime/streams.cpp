// Streams, events and errors. A plan has one stream in which everything happens in order, so waiting is
// nothing and every stream and event is ready. Time does not pass: cudaEventElapsedTime says 0 ms, always, so
// that a launcher with forgotten timing code still works and one that steers by time finds nothing to steer
// by.
#include <string>

#include "cudart/error_names.hpp"
#include "record/runtime/api.hpp"

using namespace warpgrade;
using record::worker;

namespace {

// Handles that nothing dereferences: numbers from 0x100 on, never null.
std::uint64_t next_handle() {
  static std::uint64_t last = 0x100;
  return ++last;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  const auto error = static_cast<cudaError_t>(worker().last_error);
  worker().last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(worker().last_error);
}
const char *cudaGetErrorName(cudaError_t error) {
  const cudart::ErrorName *known = cudart::find_error(error);
  return known == nullptr ? cudart::unrecognized_error : known->name;
}
const char *cudaGetErrorString(cudaError_t error) {
  const cudart::ErrorName *known = cudart::find_error(error);
  return known == nullptr ? cudart::unrecognized_error : known->text;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = reinterpret_cast<cudaStream_t>(next_handle());
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags) {
  *flags = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) {
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  *id = record::number(stream);
  return cudaSuccess;
}
// Persisting L2 windows and the like: accepted without effect, the replay's launches do not carry them.
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID, const cudaLaunchAttributeValue *) {
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaLaunchAttributeID, cudaLaunchAttributeValue *value) {
  *value = {};
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = reinterpret_cast<cudaEvent_t>(next_handle());
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.0f;
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return cudaEventElapsedTime(milliseconds, start, stop);
}

// --default-stream per-thread renames the calls; a plan has one stream.
#define WARPGRADE_SAME(name) extern decltype(name) name##_ptsz __attribute__((alias(#name)))
WARPGRADE_SAME(cudaStreamSynchronize);
WARPGRADE_SAME(cudaStreamQuery);
WARPGRADE_SAME(cudaStreamWaitEvent);
WARPGRADE_SAME(cudaStreamGetFlags);
WARPGRADE_SAME(cudaStreamGetPriority);
WARPGRADE_SAME(cudaStreamGetId);
WARPGRADE_SAME(cudaStreamSetAttribute);
WARPGRADE_SAME(cudaStreamGetAttribute);
WARPGRADE_SAME(cudaStreamCopyAttributes);
WARPGRADE_SAME(cudaStreamIsCapturing);
WARPGRADE_SAME(cudaEventRecord);
WARPGRADE_SAME(cudaEventRecordWithFlags);

}  // extern "C"
