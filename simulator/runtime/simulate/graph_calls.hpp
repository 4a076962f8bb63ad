// What the calls on graphs have in common.
#pragma once

#include "runtime/copies.hpp"
#include "runtime/launch.hpp"
#include "runtime/simulate/graph.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

inline GraphNode *find_node(Runtime &r, cudaGraphNode_t given) {
  auto *const node = reinterpret_cast<GraphNode *>(given);
  for (const auto &[handle, graph] : r.graphs)
    if (graph->has(node)) return node;
  return nullptr;
}

inline Graph *find_graph(Runtime &r, cudaGraph_t given) {
  const auto found = r.graphs.find(given);
  return found == r.graphs.end() ? nullptr : found->second.get();
}

// Parameters of nodes as calls give them, and as work.
cudaError_t kernel_work(const char *call, const cudaKernelNodeParams *, Work &);
cudaError_t copy_work(Runtime &, const char *call, const cudaMemcpy3DParms *, Work &);
cudaError_t line_work(void *to, const void *from, size_t bytes, cudaMemcpyKind, Work &);
cudaError_t symbol_work(const char *call, const void *symbol, const void *other, size_t bytes, size_t offset,
                        cudaMemcpyKind, bool to_symbol, Work &);
cudaError_t fill_work(const cudaMemsetParams *, Work &);
cudaError_t host_work(const cudaHostNodeParams *, Work &);

GraphExec *find_exec(Runtime &, cudaGraphExec_t);
/// The executable graph's copy of a node that the program knows.
GraphNode *copy_of(Runtime &, cudaGraphExec_t, cudaGraphNode_t);

/// Gives a node other work of the same kind.
cudaError_t change(GraphNode *, cudaError_t made, Work);

// Nodes at the ends of edges. If `to` is null, these functions only count them.
cudaError_t list_edges(Runtime &, cudaGraph_t, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t list_dependencies(Runtime &, cudaGraphNode_t, cudaGraphNode_t *to, size_t *count);
cudaError_t list_dependents(Runtime &, cudaGraphNode_t, cudaGraphNode_t *to, size_t *count);
cudaError_t change_edges(Runtime &, cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         size_t count, bool removes);

/// Where a new node goes, and what it waits for.
struct NewNode {
  cudaGraphNode_t *to;
  cudaGraph_t graph;
  const cudaGraphNode_t *before;
  size_t count;
};

/// Adds a node; `make` gives the error code and fills in the work.
template <class Make>
cudaError_t add_node(const char *call, const NewNode &where, const Make &make) {
  return api(call, Waits::no, [&](Runtime &r) {
    Graph *graph = find_graph(r, where.graph);
    if (where.to == nullptr || graph == nullptr || (where.before == nullptr && where.count != 0))
      return cudaErrorInvalidValue;
    std::vector<GraphNode *> before;
    for (size_t i = 0; i < where.count; ++i) {
      auto *const one = reinterpret_cast<GraphNode *>(where.before[i]);
      if (!graph->has(one)) return cudaErrorInvalidValue;
      before.push_back(one);
    }
    Work work;
    if (const cudaError_t error = make(r, work); error != cudaSuccess) return error;
    *where.to = reinterpret_cast<cudaGraphNode_t>(graph->add(std::move(work), std::move(before)));
    return cudaSuccess;
  });
}

/// Gives a node other work; `make` gives the error code and fills it in.
template <class Make>
cudaError_t set_work(const char *call, cudaGraphNode_t given, const Make &make) {
  return api(call, Waits::no, [&](Runtime &r) {
    Work work;
    const cudaError_t made = make(r, work);
    return change(find_node(r, given), made, std::move(work));
  });
}

/// Gives a node of an executable graph other work; `make` gives the error code and fills it in.
template <class Make>
cudaError_t set_work(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node, const Make &make) {
  return api(call, Waits::no, [&](Runtime &r) {
    Work work;
    const cudaError_t made = make(r, work);
    return change(copy_of(r, exec, node), made, std::move(work));
  });
}

}  // namespace warpgrade::cuda
