// What the calls on graphs have in common.
#pragma once

#include "cuda/copies.hpp"
#include "cuda/launch.hpp"
#include "cuda/simulate/graph.hpp"
#include "cuda/simulate/runtime.hpp"

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

}  // namespace warpgrade::cuda
