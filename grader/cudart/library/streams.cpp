// Streams and events. Unless a graph is captured, work is done when it is asked for, so streams order nothing
// and are always idle; an event remembers how much the device had executed. Time does not pass: what
// cudaEventElapsedTime gives is a count of simulated work, the same in every run, and says nothing about a
// GPU.
#include "cudart/library/runtime.hpp"

namespace warpgrade::cudart {
namespace {

constexpr double instructions_per_millisecond = 1e6;  // arbitrary; not zero, since programs divide by times

bool is_stream(const Runtime &r, cudaStream_t stream) {
  const std::uint64_t handle = number(stream);
  return handle <= 2 || r.streams.count(handle) != 0;  // 0, cudaStreamLegacy and cudaStreamPerThread
}

cudaError_t create_stream(Runtime &r, cudaStream_t *stream, unsigned flags) {
  if (stream == nullptr || flags > 1) return cudaErrorInvalidValue;
  r.streams[++r.next_handle].flags = flags;
  *stream = static_cast<cudaStream_t>(pointer(r.next_handle));
  return cudaSuccess;
}

cudaError_t create_event(Runtime &r, cudaEvent_t *event, unsigned flags) {
  if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
  r.events[++r.next_handle].timing = (flags & cudaEventDisableTiming) == 0;
  *event = static_cast<cudaEvent_t>(pointer(r.next_handle));
  return cudaSuccess;
}

Event *find_event(Runtime &r, cudaEvent_t event) {
  const auto found = r.events.find(number(event));
  return found == r.events.end() ? nullptr : &found->second;
}

cudaError_t check_event(Runtime &r, cudaEvent_t event) {
  const Event *found = find_event(r, event);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  return found->captured.expired() ? cudaSuccess : cudaErrorCapturedEvent;
}

template <class Body>
cudaError_t with_stream(const char *call, Waits waits, cudaStream_t stream, const Body &body) {
  return api(call, waits,
             [&](Runtime &r) { return is_stream(r, stream) ? body(r) : cudaErrorInvalidResourceHandle; });
}

cudaError_t nothing(Runtime &) {
  return cudaSuccess;
}

}  // namespace
}  // namespace warpgrade::cudart

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return api("cudaStreamCreate", Waits::no, [&](Runtime &r) { return create_stream(r, stream, 0); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return api("cudaStreamCreateWithFlags", Waits::no,
             [&](Runtime &r) { return create_stream(r, stream, flags); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int) {
  return api("cudaStreamCreateWithPriority", Waits::no,
             [&](Runtime &r) { return create_stream(r, stream, flags); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api("cudaStreamDestroy", Waits::no, [&](Runtime &r) {
    if (stream == cudaStreamPerThread || r.streams.erase(number(stream)) == 0)
      return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream("cudaStreamSynchronize", Waits::yes, stream, nothing);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream("cudaStreamQuery", Waits::yes, stream, nothing);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_stream("cudaStreamWaitEvent", Waits::no, stream, [&](Runtime &r) {
    const Event *found = find_event(r, event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventWaitExternal && is_captured(r, stream))
      return submit(r, "cudaStreamWaitEvent", stream, EventWork{event, false});
    return join_capture(r, stream, *found);
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return with_stream("cudaStreamGetFlags", Waits::no, stream, [&](Runtime &r) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const auto found = r.streams.find(number(stream));
    *flags = found == r.streams.end() ? 0 : found->second.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return with_stream("cudaStreamGetPriority", Waits::no, stream, [&](Runtime &) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return with_stream("cudaStreamGetId", Waits::no, stream, [&](Runtime &) {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = number(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return with_stream("cudaLaunchHostFunc", Waits::no, stream, [&](Runtime &r) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return submit(r, "cudaLaunchHostFunc", stream, HostWork{function, data});
  });
}
// Called at once, in this thread, without the lock: callbacks of a program may take their time.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                  unsigned flags) {
  cudaError_t status = cudaSuccess;
  const cudaError_t error = with_stream("cudaStreamAddCallback", Waits::no, stream, [&](Runtime &r) {
    if (is_captured(r, stream)) return cudaErrorStreamCaptureUnsupported;
    status = r.pending;
    r.flush_printed();
    return function == nullptr || flags != 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
  if (error == cudaSuccess) function(stream, status, data);
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return api("cudaEventCreate", Waits::no, [&](Runtime &r) { return create_event(r, event, 0); });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return api("cudaEventCreateWithFlags", Waits::no,
             [&](Runtime &r) { return create_event(r, event, flags); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api("cudaEventDestroy", Waits::no, [&](Runtime &r) {
    return r.events.erase(number(event)) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return with_stream("cudaEventRecord", Waits::no, stream, [&](Runtime &r) {
    Event *found = find_event(r, event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (is_captured(r, stream) && flags != cudaEventRecordExternal) return capture_event(r, stream, *found);
    found->captured.reset();
    return submit(r, "cudaEventRecord", stream, EventWork{event, true});
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api("cudaEventQuery", Waits::yes, [&](Runtime &r) { return check_event(r, event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api("cudaEventSynchronize", Waits::yes, [&](Runtime &r) { return check_event(r, event); });
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return api("cudaEventElapsedTime", Waits::yes, [&](Runtime &r) {
    const Event *from = find_event(r, start), *to = find_event(r, stop);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!from || !to || !from->recorded || !to->recorded || !from->timing || !to->timing)
      return cudaErrorInvalidResourceHandle;
    r.recorder.note_timing();
    const auto work = static_cast<double>(to->at) - static_cast<double>(from->at);
    const double least = to->at == from->at ? 1e-3 : 0;
    *milliseconds = static_cast<float>(work / instructions_per_millisecond + least);
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
WARPGRADE_ALSO(cudaStreamAddCallback, _ptsz);
WARPGRADE_ALSO(cudaLaunchHostFunc, _ptsz);
WARPGRADE_ALSO(cudaEventRecord, _ptsz);
WARPGRADE_ALSO(cudaEventRecordWithFlags, _ptsz);

}  // extern "C"
