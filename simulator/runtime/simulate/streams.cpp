// Streams and events on the simulator. Time does not pass: what cudaEventElapsedTime gives is a count of
// simulated work, the same in every run, and says nothing about a GPU.
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr double instructions_per_millisecond = 1e6;  // arbitrary; not zero, since programs divide by times

}  // namespace

namespace backend {

void host_waited_for_stream(cudaStream_t stream) {
  StreamOrder &order = runtime().order;
  order.wait_for_less();
  order.host_waits_for_stream(runtime(), number(stream));
}
void host_waited_for_event(cudaEvent_t event) {
  StreamOrder &order = runtime().order;
  order.wait_for_less();
  order.host_waits_for_event(number(event));
}

float milliseconds_between(const Event &from, const Event &to) {
  runtime().journal.note_timing();
  const auto work = static_cast<double>(to.at) - static_cast<double>(from.at);
  const double least = to.at == from.at ? 1e-3 : 0;
  return static_cast<float>(work / instructions_per_millisecond + least);
}

}  // namespace backend
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  constexpr const char *call = "cudaLaunchHostFunc";
  return api(call, Waits::no, [&](Runtime &r) {
    if (!r.has_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (function == nullptr) return cudaErrorInvalidValue;
    return submit(r, call, stream, HostWork{function, data});
  });
}
// Called at once, in this thread, without the lock: callbacks of a program may take their time.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                  unsigned flags) {
  cudaError_t status = cudaSuccess;
  const cudaError_t error = api("cudaStreamAddCallback", Waits::no, [&](Runtime &r) {
    if (!r.has_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (is_captured(r, stream)) return cudaErrorStreamCaptureUnsupported;
    status = r.pending;
    r.order.host_waits_for_stream(r, number(stream));  // the callback may tell other threads
    r.flush_printed();
    return function == nullptr || flags != 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
  if (error == cudaSuccess) function(stream, status, data);
  return error;
}

WARPGRADE_ALSO(cudaStreamAddCallback, _ptsz);
WARPGRADE_ALSO(cudaLaunchHostFunc, _ptsz);

}  // extern "C"
