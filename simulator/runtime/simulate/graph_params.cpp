// cudaGraphAddNode and its relatives: one call for all kinds of nodes.
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 12030  // what has cudaGraphNodeParams and data of edges

#include <climits>
#include <cstring>

#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {
namespace {

/// The same fields under an older name.
template <class To, class From>
To as(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

cudaError_t conditional_work(Runtime &r, const cudaConditionalNodeParams &p, Work &work) {
  ConditionalWork made;
  made.kind = static_cast<ConditionalWork::Kind>(p.type);
  made.handle = p.handle;
  using NodeKind = ConditionalWork::Kind;
  const unsigned most = made.kind == NodeKind::while_true ? 1 : made.kind == NodeKind::if_else ? 2 : UINT_MAX;
  const auto condition = r.conditions.find(p.handle);
  if (condition == r.conditions.end() || condition->second.has_node || made.kind > NodeKind::choice ||
      p.size == 0 || p.size > most)
    return cudaErrorInvalidValue;
  for (unsigned i = 0; i < p.size; ++i) made.bodies.push_back(std::make_shared<Graph>());
  condition->second.has_node = true;
  work = std::move(made);
  return cudaSuccess;
}

/// The bodies of a new conditional node are for the program to fill.
void give_bodies(Runtime &r, GraphNode &node, cudaGraphNodeParams &p) {
  if (p.type != cudaGraphNodeTypeConditional) return;
  for (const auto &body : graphs_in(node.work)) {
    r.graphs[body.get()] = body;
    node.bodies.push_back(reinterpret_cast<cudaGraph_t>(body.get()));
  }
  p.conditional.phGraph_out = node.bodies.data();
}

cudaError_t work_of(Runtime &r, const char *call, cudaGraphNodeParams *p, Work &work) {
  if (p == nullptr) return cudaErrorInvalidValue;
  switch (p->type) {
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    case cudaGraphNodeTypeKernel: {
      cudaKernelNodeParams kernel{};
      kernel.func = p->kernel.func;
      kernel.gridDim = p->kernel.gridDim;
      kernel.blockDim = p->kernel.blockDim;
      kernel.sharedMemBytes = p->kernel.sharedMemBytes;
      kernel.kernelParams = p->kernel.kernelParams;
      return kernel_work(call, &kernel, work);
    }
    case cudaGraphNodeTypeMemcpy:
      return copy_work(r, call, &p->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const auto fill = as<cudaMemsetParams>(p->memset);
      return fill_work(&fill, work);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{p->host.fn, p->host.userData};
      return host_work(&host, work);
    }
    case cudaGraphNodeTypeGraph: {
      const Graph *child = find_graph(r, p->graph.graph);
      if (child == nullptr) return cudaErrorInvalidValue;
      work = GraphWork{clone(*child)};
      return cudaSuccess;
    }
    case cudaGraphNodeTypeEventRecord:
      work = EventWork{p->eventRecord.event, true};
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      work = EventWork{p->eventWait.event, false};
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: {
      const cudaError_t error = allocate(call, &p->alloc.dptr, p->alloc.bytesize);
      work = AllocateWork{p->alloc.dptr, p->alloc.bytesize};
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      work = FreeWork{p->free.dptr};
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      return conditional_work(r, p->conditional, work);
    default:
      r.not_supported(call, "semaphores in CUDA graphs");
      return cudaErrorNotSupported;
  }
}

cudaError_t add(cudaGraphNode_t *to, cudaGraph_t given, const cudaGraphNode_t *before, size_t count,
                cudaGraphNodeParams *p) {
  constexpr const char *call = "cudaGraphAddNode";
  return api(call, Waits::no, [&](Runtime &r) {
    Graph *graph = find_graph(r, given);
    if (to == nullptr || graph == nullptr || (before == nullptr && count != 0)) return cudaErrorInvalidValue;
    std::vector<GraphNode *> all;
    for (size_t i = 0; i < count; ++i) {
      all.push_back(reinterpret_cast<GraphNode *>(before[i]));
      if (!graph->has(all.back())) return cudaErrorInvalidValue;
    }
    Work work;
    if (const cudaError_t error = work_of(r, call, p, work); error != cudaSuccess) return error;
    GraphNode *const node = graph->add(std::move(work), std::move(all));
    give_bodies(r, *node, *p);
    *to = reinterpret_cast<cudaGraphNode_t>(node);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *to, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags) {
  return api("cudaGraphConditionalHandleCreate", Waits::no, [&](Runtime &r) {
    if (to == nullptr || find_graph(r, graph) == nullptr || (flags & ~cudaGraphCondAssignDefault) != 0)
      return cudaErrorInvalidValue;
    GraphCondition made;
    if ((flags & cudaGraphCondAssignDefault) != 0) made.at_launch = default_value;
    *to = ++r.next_handle;
    r.conditions[*to] = made;
    return cudaSuccess;
  });
}

// CUDA 13 has data of edges before the number of dependencies, CUDA 12 only in _v2.
cudaError_t add_any_node(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, std::uintptr_t,
                         std::uintptr_t, cudaGraphNodeParams *) __asm__("cudaGraphAddNode");
cudaError_t add_any_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                         std::uintptr_t fourth, std::uintptr_t fifth, cudaGraphNodeParams *sixth) {
  if (backend::major_version() < 13)
    return add(node, graph, before, fourth, reinterpret_cast<cudaGraphNodeParams *>(fifth));
  return add(node, graph, before, fifth, sixth);
}
cudaError_t add_any_node_v2(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, const void *, size_t,
                            cudaGraphNodeParams *) __asm__("cudaGraphAddNode_v2");
cudaError_t add_any_node_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            const void *, size_t count, cudaGraphNodeParams *p) {
  return add(node, graph, before, count, p);
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *p) {
  constexpr const char *call = "cudaGraphNodeSetParams";
  return api(call, Waits::no, [&](Runtime &r) {
    Work work;
    const cudaError_t made = work_of(r, call, p, work);
    return change(find_node(r, node), made, std::move(work));
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams *p) {
  constexpr const char *call = "cudaGraphExecNodeSetParams";
  return api(call, Waits::no, [&](Runtime &r) {
    Work work;
    const cudaError_t made = work_of(r, call, p, work);
    return change(copy_of(r, exec, node), made, std::move(work));
  });
}

}  // extern "C"

#endif
