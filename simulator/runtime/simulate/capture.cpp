// Streams that write down what they are asked to do: cudaStreamBeginCapture and its relatives.
#include <algorithm>

#include "runtime/simulate/graph.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

Stream *find_stream(Runtime &r, cudaStream_t stream) {
  const auto found = r.streams.find(number(stream));
  return found == r.streams.end() ? nullptr : &found->second;
}

cudaError_t begin_capture(Runtime &r, cudaStream_t stream, std::shared_ptr<Graph> graph,
                          std::vector<GraphNode *> before, cudaStreamCaptureMode mode) {
  if (number(stream) <= 1) return cudaErrorStreamCaptureUnsupported;  // the legacy stream
  Stream *found = find_stream(r, stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (found->capture) return cudaErrorIllegalState;
  found->capture = std::make_shared<Capture>();
  found->capture->first = graph->nodes.size();
  found->capture->graph = std::move(graph);
  found->capture->origin = number(stream);
  found->capture->id = ++r.captures;
  found->capture->relaxed = mode == cudaStreamCaptureModeRelaxed;
  found->last = std::move(before);
  return cudaSuccess;
}

/// Whether all that was captured leads to where the first stream is now.
bool is_joined(const Capture &capture, const std::vector<GraphNode *> &last) {
  const std::set<const GraphNode *> reached = with_ancestors(last);
  const auto &nodes = capture.graph->nodes;
  return std::all_of(nodes.begin() + static_cast<std::ptrdiff_t>(capture.first), nodes.end(),
                     [&](const auto &node) { return reached.count(node.get()) != 0; });
}

cudaError_t end_capture(Runtime &r, cudaStream_t stream, cudaGraph_t *to) {
  Stream *found = find_stream(r, stream);
  if (to != nullptr) *to = nullptr;
  if (found == nullptr || !found->capture) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> capture = found->capture;
  if (capture->origin != number(stream)) return cudaErrorStreamCaptureUnmatched;
  const bool joined = is_joined(*capture, found->last);
  for (auto &[handle, one] : r.streams)
    if (one.capture == capture) {
      one.capture.reset();
      one.last.clear();
    }
  if (capture->broken) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  if (to != nullptr)  // who captures to a graph knows it already
    *to = reinterpret_cast<cudaGraph_t>(capture->graph.get());
  r.graphs[capture->graph.get()] = capture->graph;
  return cudaSuccess;
}

struct CaptureInfo {
  cudaStreamCaptureStatus *status;
  unsigned long long *id;
  cudaGraph_t *graph;
  const cudaGraphNode_t **nodes;
  size_t *count;
};

cudaError_t capture_info(Runtime &r, cudaStream_t stream, const CaptureInfo &to) {
  if (to.status == nullptr) return cudaErrorInvalidValue;
  const Stream *found = find_stream(r, stream);
  *to.status = backend::capture_status(stream);
  if (found == nullptr || !found->capture) return cudaSuccess;
  if (to.id != nullptr) *to.id = found->capture->id;
  if (to.graph != nullptr) {
    *to.graph = reinterpret_cast<cudaGraph_t>(found->capture->graph.get());
    r.graphs[found->capture->graph.get()] = found->capture->graph;  // nodes may be added by hand
  }
  if (to.nodes != nullptr) *to.nodes = reinterpret_cast<const cudaGraphNode_t *>(found->last.data());
  if (to.count != nullptr) *to.count = found->last.size();
  return cudaSuccess;
}

cudaError_t update_dependencies(Runtime &r, cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
                                unsigned flags) {
  Stream *found = find_stream(r, stream);
  if (found == nullptr || !found->capture) return cudaErrorIllegalState;
  if (flags == cudaStreamSetCaptureDependencies) found->last.clear();
  for (size_t i = 0; i < count; ++i) found->last.push_back(reinterpret_cast<GraphNode *>(nodes[i]));
  return cudaSuccess;
}

}  // namespace

namespace backend {

cudaError_t record_event(const char *call, cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
  Runtime &r = runtime();
  Event &event = *r.find_event(handle);
  const Stream *found = find_stream(r, stream);
  event.captured.reset();
  if (found == nullptr || !found->capture || flags == cudaEventRecordExternal)
    return submit(call, stream, EventWork{handle, true});
  if (found->capture->broken) return cudaErrorStreamCaptureInvalidated;
  event.captured = found->capture;
  event.nodes = found->last;
  return cudaSuccess;
}

cudaError_t wait_for_event(const char *call, cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
  Runtime &r = runtime();
  if (flags == cudaEventWaitExternal && is_captured(r, stream))
    return submit(call, stream, EventWork{handle, false});
  const Event &event = *r.find_event(handle);
  Stream *found = find_stream(r, stream);
  const std::shared_ptr<Capture> capture = event.captured.lock();
  if (!capture && (found == nullptr || !found->capture)) {
    r.order.wait(r, number(stream), number(handle));
    return cudaSuccess;
  }
  if (found == nullptr) return cudaErrorStreamCaptureImplicit;
  if (!capture) return cudaErrorStreamCaptureIsolation;
  if (found->capture && found->capture != capture) return cudaErrorStreamCaptureMerge;
  found->capture = capture;
  for (GraphNode *node : event.nodes)
    if (std::find(found->last.begin(), found->last.end(), node) == found->last.end())
      found->last.push_back(node);
  return cudaSuccess;
}

cudaStreamCaptureStatus capture_status(cudaStream_t stream) {
  const Stream *found = find_stream(runtime(), stream);
  if (found == nullptr || !found->capture) return cudaStreamCaptureStatusNone;
  return found->capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace backend
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCapture", Waits::no,
             [&](Runtime &r) { return begin_capture(r, stream, std::make_shared<Graph>(), {}, mode); });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *nodes, const cudaGraphEdgeData *,
                                          size_t count, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCaptureToGraph", Waits::no, [&](Runtime &r) {
    const auto found = r.graphs.find(graph);
    if (found == r.graphs.end()) return cudaErrorInvalidValue;
    const auto *first = reinterpret_cast<GraphNode *const *>(nodes);
    return begin_capture(r, stream, found->second, {first, first + count}, mode);
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return api("cudaStreamEndCapture", Waits::no, [&](Runtime &r) { return end_capture(r, stream, graph); });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return api("cudaThreadExchangeStreamCaptureMode", Waits::no, [&](Runtime &) {
    thread_local cudaStreamCaptureMode present = cudaStreamCaptureModeGlobal;
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, present);
    return cudaSuccess;
  });
}

// The toolkits differ in the parameters of these two: CUDA 13 knows data of edges, CUDA 12 in _v2 and _v3.
cudaError_t get_capture_info(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *, cudaGraph_t *,
                             const cudaGraphNode_t **, void *, size_t *) __asm__("cudaStreamGetCaptureInfo");
cudaError_t get_capture_info(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                             cudaGraph_t *graph, const cudaGraphNode_t **nodes, void *edges, size_t *count) {
  return api("cudaStreamGetCaptureInfo", Waits::no, [&](Runtime &r) {
    if (backend::major_version() < 13)
      return capture_info(r, stream, {status, id, nullptr, nullptr, nullptr});
    if (edges != nullptr) *static_cast<void **>(edges) = nullptr;
    return capture_info(r, stream, {status, id, graph, nodes, count});
  });
}
cudaError_t get_capture_info_v2(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *, cudaGraph_t *,
                                const cudaGraphNode_t **, size_t *) __asm__("cudaStreamGetCaptureInfo_v2");
cudaError_t get_capture_info_v2(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                                cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count) {
  return api("cudaStreamGetCaptureInfo", Waits::no, [&](Runtime &r) {
    return capture_info(r, stream, {status, id, graph, nodes, count});
  });
}
cudaError_t update_capture(cudaStream_t, cudaGraphNode_t *, std::uintptr_t, std::uintptr_t,
                           unsigned) __asm__("cudaStreamUpdateCaptureDependencies");
cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t *nodes, std::uintptr_t third,
                           std::uintptr_t fourth, unsigned fifth) {
  return api("cudaStreamUpdateCaptureDependencies", Waits::no, [&](Runtime &r) {
    if (backend::major_version() < 13)
      return update_dependencies(r, stream, nodes, third, static_cast<unsigned>(fourth));
    return update_dependencies(r, stream, nodes, fourth, fifth);
  });
}

extern decltype(get_capture_info) get_capture_info_ptsz __asm__("cudaStreamGetCaptureInfo_ptsz")
    __attribute__((alias("cudaStreamGetCaptureInfo")));
extern decltype(get_capture_info) get_capture_info_v3 __asm__("cudaStreamGetCaptureInfo_v3");
cudaError_t get_capture_info_v3(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                                cudaGraph_t *graph, const cudaGraphNode_t **nodes, void *edges,
                                size_t *count) {
  if (edges != nullptr) *static_cast<void **>(edges) = nullptr;
  return get_capture_info_v2(stream, status, id, graph, nodes, count);
}
extern decltype(update_capture) update_capture_ptsz __asm__("cudaStreamUpdateCaptureDependencies_ptsz")
    __attribute__((alias("cudaStreamUpdateCaptureDependencies")));
WARPGRADE_ALSO(cudaStreamBeginCapture, _ptsz);
WARPGRADE_ALSO(cudaStreamBeginCaptureToGraph, _ptsz);
WARPGRADE_ALSO(cudaStreamEndCapture, _ptsz);

}  // extern "C"
