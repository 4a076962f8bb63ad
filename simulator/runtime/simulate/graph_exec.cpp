// Graphs made ready to run: instantiated, launched, changed.
#include <algorithm>
#include <cstring>

#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {

GraphExec *find_exec(Runtime &r, cudaGraphExec_t given) {
  const auto found = r.graph_execs.find(given);
  return found == r.graph_execs.end() ? nullptr : found->second.get();
}

/// The executable graph's copy of a node that the program knows.
GraphNode *copy_of(Runtime &r, cudaGraphExec_t given, cudaGraphNode_t node) {
  GraphExec *exec = find_exec(r, given);
  if (exec == nullptr) return nullptr;
  const auto found = exec->copies.find(reinterpret_cast<GraphNode *>(node));
  return found == exec->copies.end() ? nullptr : found->second;
}

namespace {

/// Of the memory nodes of all executable graphs.
std::uint64_t graph_bytes(const Runtime &r) {
  std::uint64_t bytes = 0;
  for (const auto &[handle, exec] : r.graph_execs)
    for_each_node(*exec->graph, [&bytes](const GraphNode &node) {
      if (const auto *memory = std::get_if<AllocateWork>(&node.work)) bytes += memory->bytes;
    });
  return bytes;
}

cudaError_t instantiate(Runtime &r, cudaGraphExec_t *to, cudaGraph_t given, unsigned long long flags) {
  const Graph *graph = find_graph(r, given);
  if (to == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  if (in_order(*graph).size() != graph->nodes.size()) return cudaErrorInvalidValue;  // a circle
  if (has_wrong_bodies(r, "cudaGraphInstantiate", *graph)) return cudaErrorInvalidValue;
  auto made = std::make_unique<GraphExec>();
  made->graph = clone(*graph, &made->copies);
  made->flags = flags;
  *to = reinterpret_cast<cudaGraphExec_t>(made.get());
  r.graph_execs[made.get()] = std::move(made);
  r.graph_high_bytes = std::max(r.graph_high_bytes, graph_bytes(r));
  return cudaSuccess;
}

/// What runs: without the nodes that were switched off.
std::shared_ptr<Graph> enabled_part(const GraphExec &exec) {
  if (exec.disabled.empty()) return exec.graph;
  Copies copies;
  std::shared_ptr<Graph> part = clone(*exec.graph, &copies);
  for (const GraphNode *one : exec.disabled) copies.at(one)->work = EmptyWork{};
  return part;
}

/// How the graph differs from what was instantiated; success where new parameters will do.
cudaGraphExecUpdateResult compare(const GraphExec &exec, const Graph &graph, const GraphNode *&culprit) {
  if (graph.nodes.size() != exec.graph->nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  std::map<const GraphNode *, std::size_t> places, old_places;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    places[graph.nodes[i].get()] = i;
    old_places[exec.graph->nodes[i].get()] = i;
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode &now = *graph.nodes[i], &before = *exec.graph->nodes[i];
    culprit = &now;
    if (now.work.index() != before.work.index()) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (now.before.size() != before.before.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t k = 0; k < now.before.size(); ++k)
      if (places.at(now.before[k]) != old_places.at(before.before[k]))
        return cudaGraphExecUpdateErrorTopologyChanged;
  }
  culprit = nullptr;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

// CUDA 11 had five parameters here: the third was where to put an error's node.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags) {
  return api("cudaGraphInstantiate", Waits::no, [&](Runtime &r) { return instantiate(r, to, graph, flags); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(to, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *to, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p) {
  return api("cudaGraphInstantiateWithParams", Waits::no, [&](Runtime &r) {
    if (p == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = instantiate(r, to, graph, p->flags);
    p->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
  });
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t given, unsigned long long *flags) {
  return api("cudaGraphExecGetFlags", Waits::no, [&](Runtime &r) {
    const GraphExec *exec = find_exec(r, given);
    if (exec == nullptr || flags == nullptr) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api("cudaGraphExecDestroy", Waits::no, [&](Runtime &r) {
    return r.graph_execs.erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t given, cudaStream_t stream) {
  return api("cudaGraphLaunch", Waits::no, [&](Runtime &r) {
    const GraphExec *exec = find_exec(r, given);
    if (exec == nullptr) return cudaErrorInvalidValue;
    std::shared_ptr<Graph> graph = enabled_part(*exec);
    if (is_captured(r, stream))  // what becomes of the executable graph is not its affair
      return submit(r, "cudaGraphLaunch", stream, GraphWork{clone(*graph)});
    reset_conditions(r, *graph);
    r.order.wait(r, number(stream), number(given));  // for its last launch, which may be in another stream
    const cudaError_t error = submit(r, "cudaGraphLaunch", stream, GraphWork{std::move(graph)});
    r.order.record(r, number(stream), number(given));
    return error;
  });
}
cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType which, void *to) {
  return api("cudaDeviceGetGraphMemAttribute", Waits::no, [&](Runtime &r) {
    if (to == nullptr || which < cudaGraphMemAttrUsedMemCurrent || which > cudaGraphMemAttrReservedMemHigh)
      return cudaErrorInvalidValue;
    const bool highest = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    *static_cast<std::uint64_t *>(to) = highest ? r.graph_high_bytes : graph_bytes(r);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType which, void *value) {
  return api("cudaDeviceSetGraphMemAttribute", Waits::no, [&](Runtime &r) {
    const bool highest = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    if (!highest || value == nullptr || *static_cast<std::uint64_t *>(value) != 0)
      return cudaErrorInvalidValue;  // they can be set to 0 only
    r.graph_high_bytes = graph_bytes(r);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t given, cudaStream_t) {
  return api("cudaGraphUpload", Waits::no, [&](Runtime &r) {
    return find_exec(r, given) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t given, cudaGraph_t from,
                                cudaGraphExecUpdateResultInfo *info) {
  return api("cudaGraphExecUpdate", Waits::no, [&](Runtime &r) {
    GraphExec *exec = find_exec(r, given);
    const Graph *graph = find_graph(r, from);
    if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    const GraphNode *culprit = nullptr;
    const cudaGraphExecUpdateResult result = compare(*exec, *graph, culprit);
    if (info != nullptr)
      *info = {result, reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode *>(culprit)), nullptr};
    if (result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
      exec->graph->nodes[i]->work = copy_of(graph->nodes[i]->work, &exec->copies);
      exec->copies[graph->nodes[i].get()] = exec->graph->nodes[i].get();
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *p) {
  constexpr const char *call = "cudaGraphExecKernelNodeSetParams";
  return set_work(call, exec, node, [&](Runtime &, Work &work) { return kernel_work(call, p, work); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *p) {
  constexpr const char *call = "cudaGraphExecMemcpyNodeSetParams";
  return set_work(call, exec, node, [&](Runtime &r, Work &work) { return copy_work(r, call, p, work); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, cudaMemcpyKind kind) {
  return set_work("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
                  [&](Runtime &, Work &work) { return line_work(to, from, bytes, kind, work); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *from, size_t bytes,
                                                     size_t offset, cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphExecMemcpyNodeSetParamsToSymbol";
  return set_work(call, exec, node, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, from, bytes, offset, kind, true, work);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphExecMemcpyNodeSetParamsFromSymbol";
  return set_work(call, exec, node, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, to, bytes, offset, kind, false, work);
  });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *p) {
  return set_work("cudaGraphExecMemsetNodeSetParams", exec, node,
                  [&](Runtime &, Work &work) { return fill_work(p, work); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *p) {
  return set_work("cudaGraphExecHostNodeSetParams", exec, node,
                  [&](Runtime &, Work &work) { return host_work(p, work); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set_work("cudaGraphExecChildGraphNodeSetParams", exec, node, [&](Runtime &r, Work &work) {
    const Graph *graph = find_graph(r, child);
    if (graph == nullptr) return cudaErrorInvalidValue;
    work = GraphWork{clone(*graph)};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set_work("cudaGraphExecEventRecordNodeSetEvent", exec, node, [&](Runtime &, Work &work) {
    work = EventWork{event, true};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set_work("cudaGraphExecEventWaitNodeSetEvent", exec, node, [&](Runtime &, Work &work) {
    work = EventWork{event, false};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t given, cudaGraphNode_t node, unsigned enabled) {
  return api("cudaGraphNodeSetEnabled", Waits::no, [&](Runtime &r) {
    GraphNode *copy = copy_of(r, given, node);
    if (copy == nullptr) return cudaErrorInvalidValue;
    GraphExec *exec = find_exec(r, given);
    if (enabled != 0)
      exec->disabled.erase(copy);
    else
      exec->disabled.insert(copy);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t given, cudaGraphNode_t node, unsigned *enabled) {
  return api("cudaGraphNodeGetEnabled", Waits::no, [&](Runtime &r) {
    const GraphNode *copy = copy_of(r, given, node);
    if (copy == nullptr || enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = find_exec(r, given)->disabled.count(copy) == 0;
    return cudaSuccess;
  });
}

WARPGRADE_ALSO(cudaGraphInstantiateWithParams, _ptsz);
WARPGRADE_ALSO(cudaGraphLaunch, _ptsz);
WARPGRADE_ALSO(cudaGraphUpload, _ptsz);

}  // extern "C"
