// Graphs that are built by hand: nodes, what they do and what they wait for.
#include <algorithm>
#include <cstring>

#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {

cudaError_t kernel_work(const char *call, const cudaKernelNodeParams *p, Work &work) {
  if (p == nullptr || p->kernelParams == nullptr) return cudaErrorInvalidValue;
  KernelWork made{p->func, p->gridDim, p->blockDim, p->sharedMemBytes, false, {}};
  const cudaError_t error = make_kernel_work(call, p->kernelParams, made);
  work = std::move(made);
  return error;
}

cudaError_t copy_work(Runtime &r, const char *call, const cudaMemcpy3DParms *p, Work &work) {
  CopyWork made;
  const cudaError_t error = make_copy(r, call, p, made);
  work = made;
  return error;
}

cudaError_t line_work(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, Work &work) {
  work = line_copy(to, from, bytes, kind);
  return to == nullptr || from == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t symbol_work(const char *call, const void *symbol, const void *other, size_t bytes, size_t offset,
                        cudaMemcpyKind kind, bool to_symbol, Work &work) {
  CopyWork made;
  const cudaError_t error =
      make_symbol_copy(call, {symbol, const_cast<void *>(other), bytes, offset, kind, to_symbol}, made);
  work = made;
  return error;
}

cudaError_t fill_work(const cudaMemsetParams *p, Work &work) {
  if (p == nullptr || p->dst == nullptr ||
      (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return cudaErrorInvalidValue;
  const std::uint64_t width = p->width * p->elementSize;
  work =
      FillWork{{p->dst, p->height > 1 ? p->pitch : width, 0}, p->value, p->elementSize, {width, p->height}};
  return cudaSuccess;
}

cudaError_t host_work(const cudaHostNodeParams *p, Work &work) {
  if (p == nullptr || p->fn == nullptr) return cudaErrorInvalidValue;
  work = HostWork{p->fn, p->userData};
  return cudaSuccess;
}

cudaError_t change(GraphNode *node, cudaError_t made, Work work) {
  if (made != cudaSuccess) return made;
  if (node == nullptr || node->work.index() != work.index()) return cudaErrorInvalidValue;
  node->work = std::move(work);
  return cudaSuccess;
}

namespace {

/// Runs `body` with a node's work of one kind.
template <class Kind, class Body>
cudaError_t with_work(const char *call, cudaGraphNode_t given, const Body &body) {
  return api(call, Waits::no, [&](Runtime &r) {
    GraphNode *node = find_node(r, given);
    Kind *work = node == nullptr ? nullptr : std::get_if<Kind>(&node->work);
    return work == nullptr ? cudaErrorInvalidValue : body(*node, *work);
  });
}

/// What a node's work of one kind was made of.
template <class Kind, class Value, class Read>
cudaError_t tell(const char *call, cudaGraphNode_t given, Value *to, const Read &read) {
  return with_work<Kind>(call, given, [&](GraphNode &, const Kind &work) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = read(work);
    return cudaSuccess;
  });
}

/// Lists as these calls give them: without room they say how many there are.
cudaError_t list(const std::vector<GraphNode *> &all, cudaGraphNode_t *to, size_t *count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = all.size();
    return cudaSuccess;
  }
  for (size_t i = 0; i < *count; ++i)
    to[i] = i < all.size() ? reinterpret_cast<cudaGraphNode_t>(all[i]) : nullptr;
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

namespace {

/// The function by which the program knows the kernel: a captured launch may name a handle of cudaGetKernel.
void *function_of(const Kernel &kernel, const void *launched) {
  const auto &all = backend::state().kernels;
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const auto &one) { return one.second.get() == &kernel; });
  return const_cast<void *>(known == all.end() ? launched : known->first);
}

}  // namespace

cudaError_t get_kernel(GraphNode &node, const KernelWork &work, cudaKernelNodeParams *to) {
  if (to == nullptr) return cudaErrorInvalidValue;
  Kernel *kernel = nullptr;
  if (const cudaError_t error = find_kernel("cudaGraphKernelNodeGetParams", work.function, kernel);
      error != cudaSuccess)
    return error;
  node.argument_pointers.clear();
  for (const ptx::ParameterLayout &one : kernel->layout->parameters)
    node.argument_pointers.push_back(const_cast<std::byte *>(work.arguments.data()) + one.offset);
  *to = {};
  to->func = function_of(*kernel, work.function);
  to->gridDim = work.grid;
  to->blockDim = work.block;
  to->sharedMemBytes = static_cast<unsigned>(work.shared);
  to->kernelParams = node.argument_pointers.data();
  return cudaSuccess;
}

}  // namespace

cudaError_t change_edges(Runtime &r, cudaGraph_t given, const cudaGraphNode_t *from,
                         const cudaGraphNode_t *to, size_t count, bool removes) {
  const Graph *graph = find_graph(r, given);
  if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    auto *const first = reinterpret_cast<GraphNode *>(from[i]),
                *second = reinterpret_cast<GraphNode *>(to[i]);
    if (!graph->has(first) || !graph->has(second)) return cudaErrorInvalidValue;
    const auto known = std::find(second->before.begin(), second->before.end(), first);
    if (removes != (known != second->before.end())) return cudaErrorInvalidValue;
    if (removes) {
      second->before.erase(known);
      continue;
    }
    if (with_ancestors({first}).count(second) != 0) return cudaErrorInvalidValue;  // a circle
    second->before.push_back(first);
  }
  return cudaSuccess;
}

cudaError_t list_edges(Runtime &r, cudaGraph_t given, cudaGraphNode_t *from, cudaGraphNode_t *to,
                       size_t *count) {
  const Graph *graph = find_graph(r, given);
  if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
  std::vector<GraphNode *> firsts, seconds;
  for (const auto &node : graph->nodes)
    for (GraphNode *one : node->before) firsts.push_back(one), seconds.push_back(node.get());
  size_t again = *count;
  const cudaError_t error = list(firsts, from, &again);
  return error != cudaSuccess ? error : list(seconds, to, count);
}

cudaError_t list_dependencies(Runtime &r, cudaGraphNode_t given, cudaGraphNode_t *to, size_t *count) {
  const GraphNode *node = find_node(r, given);
  return node == nullptr ? cudaErrorInvalidValue : list(node->before, to, count);
}

cudaError_t list_dependents(Runtime &r, cudaGraphNode_t given, cudaGraphNode_t *to, size_t *count) {
  GraphNode *node = find_node(r, given);
  if (node == nullptr) return cudaErrorInvalidValue;
  std::vector<GraphNode *> all;
  for (const auto &one : node->graph->nodes)
    if (std::find(one->before.begin(), one->before.end(), node) != one->before.end())
      all.push_back(one.get());
  return list(all, to, count);
}

namespace {

cudaError_t add_edges(const char *call, cudaGraph_t graph, const cudaGraphNode_t *from,
                      const cudaGraphNode_t *to, size_t count, bool removes) {
  return api(call, Waits::no, [&](Runtime &r) { return change_edges(r, graph, from, to, count, removes); });
}

cudaError_t plain_edges(cudaGraphEdgeData *data, size_t count) {
  if (data != nullptr) std::fill_n(data, count, cudaGraphEdgeData{});
  return cudaSuccess;
}

/// Only these attributes change a launch on the simulator. Others are accepted, and read back as zeros.
cudaError_t set_attribute(KernelWork &work, cudaLaunchAttributeID which,
                          const cudaLaunchAttributeValue &value) {
  const auto &shape = value.clusterDim;
  if (which == cudaLaunchAttributeCooperative) work.cooperative = value.cooperative != 0;
  if (which == cudaLaunchAttributeClusterDimension) work.cluster = dim3(shape.x, shape.y, shape.z);
  return cudaSuccess;
}

cudaLaunchAttributeValue attribute_of(const KernelWork &work, cudaLaunchAttributeID which) {
  cudaLaunchAttributeValue to{};
  if (which == cudaLaunchAttributeCooperative) to.cooperative = work.cooperative;
  if (which == cudaLaunchAttributeClusterDimension)
    to.clusterDim.x = work.cluster.x, to.clusterDim.y = work.cluster.y, to.clusterDim.z = work.cluster.z;
  return to;
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *to, unsigned flags) {
  return api("cudaGraphCreate", Waits::no, [&](Runtime &r) {
    if (to == nullptr || flags != 0) return cudaErrorInvalidValue;
    auto made = std::make_shared<Graph>();
    *to = reinterpret_cast<cudaGraph_t>(made.get());
    r.graphs[made.get()] = std::move(made);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api("cudaGraphDestroy", Waits::no,
             [&](Runtime &r) { return r.graphs.erase(graph) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t from) {
  return api("cudaGraphClone", Waits::no, [&](Runtime &r) {
    const Graph *graph = find_graph(r, from);
    if (to == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    auto made = clone(*graph);
    *to = reinterpret_cast<cudaGraph_t>(made.get());
    r.graphs[made.get()] = std::move(made);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *to, cudaGraphNode_t original, cudaGraph_t cloned) {
  return api("cudaGraphNodeFindInClone", Waits::no, [&](Runtime &r) {
    const Graph *graph = find_graph(r, cloned);
    if (to == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    for (const auto &node : graph->nodes)
      if (node->clone_of == reinterpret_cast<GraphNode *>(original)) {
        *to = reinterpret_cast<cudaGraphNode_t>(node.get());
        return cudaSuccess;
      }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const cudaKernelNodeParams *p) {
  constexpr const char *call = "cudaGraphAddKernelNode";
  return add_node(call, {node, graph, before, count},
                  [&](Runtime &, Work &work) { return kernel_work(call, p, work); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const cudaMemcpy3DParms *p) {
  constexpr const char *call = "cudaGraphAddMemcpyNode";
  return add_node(call, {node, graph, before, count},
                  [&](Runtime &r, Work &work) { return copy_work(r, call, p, work); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from, size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", {node, graph, before, count},
                  [&](Runtime &, Work &work) { return line_work(to, from, bytes, kind, work); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t count, const void *symbol,
                                           const void *from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphAddMemcpyNodeToSymbol";
  return add_node(call, {node, graph, before, count}, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, from, bytes, offset, kind, true, work);
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphAddMemcpyNodeFromSymbol";
  return add_node(call, {node, graph, before, count}, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, to, bytes, offset, kind, false, work);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const cudaMemsetParams *p) {
  return add_node("cudaGraphAddMemsetNode", {node, graph, before, count},
                  [&](Runtime &, Work &work) { return fill_work(p, work); });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                 size_t count, const cudaHostNodeParams *p) {
  return add_node("cudaGraphAddHostNode", {node, graph, before, count},
                  [&](Runtime &, Work &work) { return host_work(p, work); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count) {
  return add_node("cudaGraphAddEmptyNode", {node, graph, before, count},
                  [](Runtime &, Work &) { return cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t count, cudaGraph_t child) {
  return add_node("cudaGraphAddChildGraphNode", {node, graph, before, count}, [&](Runtime &r, Work &work) {
    const Graph *found = find_graph(r, child);
    if (found == nullptr) return cudaErrorInvalidValue;
    work = GraphWork{clone(*found)};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *before, size_t count, cudaEvent_t event) {
  return add_node("cudaGraphAddEventRecordNode", {node, graph, before, count}, [&](Runtime &, Work &work) {
    work = EventWork{event, true};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                      size_t count, cudaEvent_t event) {
  return add_node("cudaGraphAddEventWaitNode", {node, graph, before, count}, [&](Runtime &, Work &work) {
    work = EventWork{event, false};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, cudaMemAllocNodeParams *p) {
  constexpr const char *call = "cudaGraphAddMemAllocNode";
  return add_node(call, {node, graph, before, count}, [&](Runtime &, Work &work) {
    if (p == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = allocate(call, &p->dptr, p->bytesize);
    work = AllocateWork{p->dptr, p->bytesize};
    return error;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                    size_t count, void *memory) {
  return add_node("cudaGraphAddMemFreeNode", {node, graph, before, count}, [&](Runtime &r, Work &work) {
    Block *block = r.blocks.starting_at(number(memory));
    if (block == nullptr) return cudaErrorInvalidValue;
    block->allocated = false;  // the graph frees it; it is not a leak
    work = FreeWork{memory};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t given, cudaKernelNodeParams *to) {
  return with_work<KernelWork>(
      "cudaGraphKernelNodeGetParams", given,
      [&](GraphNode &node, const KernelWork &work) { return get_kernel(node, work, to); });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p) {
  constexpr const char *call = "cudaGraphKernelNodeSetParams";
  return set_work(call, node, [&](Runtime &, Work &work) { return kernel_work(call, p, work); });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t given, cudaMemcpy3DParms *to) {
  return tell<CopyWork>("cudaGraphMemcpyNodeGetParams", given, to, [](const CopyWork &work) {
    const auto pitched = [&](const Place &p) {
      return cudaPitchedPtr{p.at, p.pitch, work.box.width, work.box.height};
    };
    cudaMemcpy3DParms made{};
    made.dstPtr = pitched(work.to);
    made.srcPtr = pitched(work.from);
    made.extent = {work.box.width, work.box.height, work.box.depth};
    made.kind = work.kind;
    return made;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *p) {
  constexpr const char *call = "cudaGraphMemcpyNodeSetParams";
  return set_work(call, node, [&](Runtime &r, Work &work) { return copy_work(r, call, p, work); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return set_work("cudaGraphMemcpyNodeSetParams1D", node,
                  [&](Runtime &, Work &work) { return line_work(to, from, bytes, kind, work); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t given, cudaMemsetParams *to) {
  return tell<FillWork>("cudaGraphMemsetNodeGetParams", given, to, [](const FillWork &work) {
    return cudaMemsetParams{
        work.to.at, work.to.pitch, work.value, work.element, work.box.width / work.element, work.box.height};
  });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *p) {
  return set_work("cudaGraphMemsetNodeSetParams", node,
                  [&](Runtime &, Work &work) { return fill_work(p, work); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t given, cudaHostNodeParams *to) {
  return tell<HostWork>("cudaGraphHostNodeGetParams", given, to, [](const HostWork &work) {
    return cudaHostNodeParams{work.function, work.data};
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *p) {
  return set_work("cudaGraphHostNodeSetParams", node,
                  [&](Runtime &, Work &work) { return host_work(p, work); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t given, cudaGraph_t *to) {
  return tell<GraphWork>("cudaGraphChildGraphNodeGetGraph", given, to, [](const GraphWork &work) {
    runtime().graphs[work.graph.get()] = work.graph;
    return reinterpret_cast<cudaGraph_t>(work.graph.get());
  });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t given, cudaEvent_t *to) {
  return tell<EventWork>("cudaGraphEventRecordNodeGetEvent", given, to,
                         [](const EventWork &work) { return work.event; });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *to) {
  return cudaGraphEventRecordNodeGetEvent(node, to);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t given, cudaMemAllocNodeParams *to) {
  return tell<AllocateWork>("cudaGraphMemAllocNodeGetParams", given, to, [](const AllocateWork &work) {
    cudaMemAllocNodeParams made{};
    made.bytesize = work.bytes;
    made.dptr = work.memory;
    return made;
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t given, void *to) {
  return tell<FreeWork>("cudaGraphMemFreeNodeGetParams", given, static_cast<void **>(to),
                        [](const FreeWork &work) { return work.memory; });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t given, cudaGraphNodeType *type) {
  return api("cudaGraphNodeGetType", Waits::no, [&](Runtime &r) {
    const GraphNode *node = find_node(r, given);
    if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(node->work);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t given, cudaGraphNode_t *to, size_t *count) {
  return api("cudaGraphGetNodes", Waits::no, [&](Runtime &r) {
    const Graph *graph = find_graph(r, given);
    if (graph == nullptr) return cudaErrorInvalidValue;
    std::vector<GraphNode *> all;
    for (const auto &node : graph->nodes) all.push_back(node.get());
    return list(all, to, count);
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t given, cudaGraphNode_t *to, size_t *count) {
  return api("cudaGraphGetRootNodes", Waits::no, [&](Runtime &r) {
    const Graph *graph = find_graph(r, given);
    if (graph == nullptr) return cudaErrorInvalidValue;
    std::vector<GraphNode *> all;
    for (const auto &node : graph->nodes)
      if (node->before.empty()) all.push_back(node.get());
    return list(all, to, count);
  });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t given) {
  return api("cudaGraphDestroyNode", Waits::no, [&](Runtime &r) {
    GraphNode *node = find_node(r, given);
    if (node == nullptr) return cudaErrorInvalidValue;
    auto &nodes = node->graph->nodes;
    for (const auto &one : nodes) std::erase(one->before, node);
    std::erase_if(nodes, [node](const auto &one) { return one.get() == node; });
    return cudaSuccess;
  });
}

// The toolkits differ in the parameters of what follows: CUDA 13 knows data of edges, CUDA 12 in _v2.
cudaError_t add_dependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, std::uintptr_t,
                             size_t) __asm__("cudaGraphAddDependencies");
cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                             std::uintptr_t fourth, size_t fifth) {
  return add_edges("cudaGraphAddDependencies", graph, from, to,
                   backend::major_version() < 13 ? fourth : fifth, false);
}
cudaError_t add_dependencies_v2(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, const void *,
                                size_t) __asm__("cudaGraphAddDependencies_v2");
cudaError_t add_dependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                const void *, size_t count) {
  return add_edges("cudaGraphAddDependencies", graph, from, to, count, false);
}
cudaError_t remove_dependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, std::uintptr_t,
                                size_t) __asm__("cudaGraphRemoveDependencies");
cudaError_t remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                std::uintptr_t fourth, size_t fifth) {
  return add_edges("cudaGraphRemoveDependencies", graph, from, to,
                   backend::major_version() < 13 ? fourth : fifth, true);
}
cudaError_t get_edges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, void *,
                      size_t *) __asm__("cudaGraphGetEdges");
cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *fourth,
                      size_t *fifth) {
  return api("cudaGraphGetEdges", Waits::no, [&](Runtime &r) {
    return list_edges(r, graph, from, to,
                      backend::major_version() < 13 ? static_cast<size_t *>(fourth) : fifth);
  });
}
cudaError_t get_dependencies(cudaGraphNode_t, cudaGraphNode_t *, void *,
                             size_t *) __asm__("cudaGraphNodeGetDependencies");
cudaError_t get_dependencies(cudaGraphNode_t node, cudaGraphNode_t *to, void *third, size_t *fourth) {
  return api("cudaGraphNodeGetDependencies", Waits::no, [&](Runtime &r) {
    return list_dependencies(r, node, to,
                             backend::major_version() < 13 ? static_cast<size_t *>(third) : fourth);
  });
}
cudaError_t get_dependents(cudaGraphNode_t, cudaGraphNode_t *, void *,
                           size_t *) __asm__("cudaGraphNodeGetDependentNodes");
cudaError_t get_dependents(cudaGraphNode_t node, cudaGraphNode_t *to, void *third, size_t *fourth) {
  return api("cudaGraphNodeGetDependentNodes", Waits::no, [&](Runtime &r) {
    return list_dependents(r, node, to,
                           backend::major_version() < 13 ? static_cast<size_t *>(third) : fourth);
  });
}

// The data of an edge says at which point of a kernel it begins. Here it is always the end.
cudaError_t remove_dependencies_v2(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
                                   const void *, size_t) __asm__("cudaGraphRemoveDependencies_v2");
cudaError_t remove_dependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                   const void *, size_t count) {
  return add_edges("cudaGraphRemoveDependencies", graph, from, to, count, true);
}
cudaError_t get_edges_v2(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, cudaGraphEdgeData *,
                         size_t *) __asm__("cudaGraphGetEdges_v2");
cudaError_t get_edges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                         cudaGraphEdgeData *data, size_t *count) {
  return api("cudaGraphGetEdges", Waits::no, [&](Runtime &r) {
    const cudaError_t error = list_edges(r, graph, from, to, count);
    return error != cudaSuccess ? error : plain_edges(data, from != nullptr ? *count : 0);
  });
}
cudaError_t get_dependencies_v2(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
                                size_t *) __asm__("cudaGraphNodeGetDependencies_v2");
cudaError_t get_dependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                                size_t *count) {
  return api("cudaGraphNodeGetDependencies", Waits::no, [&](Runtime &r) {
    const cudaError_t error = list_dependencies(r, node, to, count);
    return error != cudaSuccess ? error : plain_edges(data, to != nullptr ? *count : 0);
  });
}
cudaError_t get_dependents_v2(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
                              size_t *) __asm__("cudaGraphNodeGetDependentNodes_v2");
cudaError_t get_dependents_v2(cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                              size_t *count) {
  return api("cudaGraphNodeGetDependentNodes", Waits::no, [&](Runtime &r) {
    const cudaError_t error = list_dependents(r, node, to, count);
    return error != cudaSuccess ? error : plain_edges(data, to != nullptr ? *count : 0);
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work("cudaGraphEventRecordNodeSetEvent", node, [&](Runtime &, Work &work) {
    work = EventWork{event, true};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_work("cudaGraphEventWaitNodeSetEvent", node, [&](Runtime &, Work &work) {
    work = EventWork{event, false};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphMemcpyNodeSetParamsToSymbol";
  return set_work(call, node, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, from, bytes, offset, kind, true, work);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                                   size_t bytes, size_t offset, cudaMemcpyKind kind) {
  constexpr const char *call = "cudaGraphMemcpyNodeSetParamsFromSymbol";
  return set_work(call, node, [&](Runtime &, Work &work) {
    return symbol_work(call, symbol, to, bytes, offset, kind, false, work);
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t given, cudaLaunchAttributeID which,
                                            const cudaLaunchAttributeValue *value) {
  return with_work<KernelWork>("cudaGraphKernelNodeSetAttribute", given, [&](GraphNode &, KernelWork &work) {
    return value == nullptr ? cudaErrorInvalidValue : set_attribute(work, which, *value);
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t given, cudaLaunchAttributeID which,
                                            cudaLaunchAttributeValue *to) {
  return tell<KernelWork>("cudaGraphKernelNodeGetAttribute", given, to,
                          [&](const KernelWork &work) { return attribute_of(work, which); });
}
// The target comes before the source, as in the driver; the header of CUDA 12 calls them the other way round.
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return with_work<KernelWork>("cudaGraphKernelNodeCopyAttributes", to, [&](GraphNode &, KernelWork &work) {
    const GraphNode *other = find_node(runtime(), from);
    const auto *source = other == nullptr ? nullptr : std::get_if<KernelWork>(&other->work);
    if (source == nullptr) return cudaErrorInvalidValue;
    work.cooperative = source->cooperative;
    work.cluster = source->cluster;
    return cudaSuccess;
  });
}

}  // extern "C"
