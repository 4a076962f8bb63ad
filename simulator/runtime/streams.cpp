// Streams and events. Work is done, or written down, in the order of the calls, so that streams are always
// idle.
#include "runtime/backend.hpp"

namespace warpgrade::cuda {
namespace {

cudaError_t create_stream(const char *call, cudaStream_t *stream, unsigned flags) {
  return backend::enter(call, Waits::no, [&] {
    if (stream == nullptr || flags > 1) return cudaErrorInvalidValue;
    State &state = backend::state();
    state.streams[++state.next_handle].flags = flags;
    state.streams[state.next_handle].device = backend::device().number;
    *stream = static_cast<cudaStream_t>(pointer(state.next_handle));
    return cudaSuccess;
  });
}

cudaError_t create_event(const char *call, cudaEvent_t *event, unsigned flags) {
  return backend::enter(call, Waits::no, [&] {
    if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
    State &state = backend::state();
    state.events[++state.next_handle].timing = (flags & cudaEventDisableTiming) == 0;
    state.events[state.next_handle].device = backend::device().number;
    *event = static_cast<cudaEvent_t>(pointer(state.next_handle));
    return cudaSuccess;
  });
}

cudaError_t wait_for(const char *call, cudaEvent_t event) {
  return backend::enter(call, Waits::yes, [&] {
    const Event *found = backend::state().find_event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    backend::host_waited_for_event(event);
    return found->captured.expired() ? cudaSuccess : cudaErrorCapturedEvent;
  });
}

template <class Body>
cudaError_t with_stream(const char *call, Waits waits, cudaStream_t stream, const Body &body) {
  return backend::enter(call, waits, [&] {
    return backend::state().has_stream(stream) ? body() : cudaErrorInvalidResourceHandle;
  });
}

template <class Value, class Answer>
cudaError_t answer(const char *call, cudaStream_t stream, Value *to, const Answer &value) {
  return with_stream(call, Waits::no, stream, [&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = value();
    return cudaSuccess;
  });
}

cudaError_t wait_for(const char *call, cudaStream_t stream) {
  return with_stream(call, Waits::yes, stream, [&] {
    backend::host_waited_for_stream(stream);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return create_stream("cudaStreamCreate", stream, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return create_stream("cudaStreamCreateWithFlags", stream, flags);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return backend::enter("cudaStreamDestroy", Waits::no, [&] {
    if (stream == cudaStreamPerThread || backend::state().streams.erase(number(stream)) == 0)
      return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for("cudaStreamSynchronize", stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return wait_for("cudaStreamQuery", stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  constexpr const char *call = "cudaStreamWaitEvent";
  return with_stream(call, Waits::no, stream, [&] {
    if (backend::state().find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
    return backend::wait_for_event(call, stream, event, flags);
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return answer("cudaStreamGetFlags", stream, flags, [&] {
    const auto &streams = backend::state().streams;
    const auto found = streams.find(number(stream));
    return found == streams.end() ? 0 : found->second.flags;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return answer("cudaStreamGetPriority", stream, priority, [] { return 0; });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return answer("cudaStreamGetId", stream, id, [&] { return number(stream); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return answer("cudaStreamIsCapturing", stream, status, [&] { return backend::capture_status(stream); });
}
// Persisting windows of the L2 cache and the like can be set, without effect, and are not remembered.
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID,
                                   cudaLaunchAttributeValue *value) {
  return answer("cudaStreamGetAttribute", stream, value, [] { return cudaLaunchAttributeValue{}; });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return create_event("cudaEventCreate", event, 0);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return create_event("cudaEventCreateWithFlags", event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return backend::enter("cudaEventDestroy", Waits::no, [&] {
    return backend::state().events.erase(number(event)) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  constexpr const char *call = "cudaEventRecord";
  return with_stream(call, Waits::no, stream, [&] {
    const Event *const found = backend::state().find_event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const int device = backend::state().device_of(stream, backend::device().number);
    if (found->device != device) return backend::refuse_event(call, found->device, device);
    return backend::record_event(call, stream, event, flags);
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return wait_for("cudaEventQuery", event);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_for("cudaEventSynchronize", event);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return backend::enter("cudaEventElapsedTime", Waits::yes, [&] {
    const Event *from = backend::state().find_event(start), *to = backend::state().find_event(stop);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!from || !to || !from->recorded || !to->recorded || !from->timing || !to->timing ||
        from->device != to->device)
      return cudaErrorInvalidResourceHandle;
    backend::host_waited_for_event(start);
    backend::host_waited_for_event(stop);
    *milliseconds = backend::milliseconds_between(*from, *to);
    return cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return cudaEventElapsedTime(milliseconds, start, stop);
}

WARPGRADE_ALSO(cudaStreamSynchronize, _ptsz);
WARPGRADE_ALSO(cudaStreamQuery, _ptsz);
WARPGRADE_ALSO(cudaStreamWaitEvent, _ptsz);
WARPGRADE_ALSO(cudaStreamGetFlags, _ptsz);
WARPGRADE_ALSO(cudaStreamGetPriority, _ptsz);
WARPGRADE_ALSO(cudaStreamGetId, _ptsz);
WARPGRADE_ALSO(cudaStreamIsCapturing, _ptsz);
WARPGRADE_ALSO(cudaStreamGetAttribute, _ptsz);
WARPGRADE_ALSO(cudaEventRecord, _ptsz);
WARPGRADE_ALSO(cudaEventRecordWithFlags, _ptsz);

}  // extern "C"
