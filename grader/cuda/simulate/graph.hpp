// Graphs: nodes of work that wait for each other, built by hand or captured from streams, and run in an order
// that respects what waits for what.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cuda/work.hpp"

namespace warpgrade::cuda {

struct Graph;

struct GraphNode {
  Graph *graph = nullptr;
  Work work;
  std::vector<GraphNode *> before;  ///< what it waits for
  const GraphNode *clone_of = nullptr;
  std::vector<void *> argument_pointers;  ///< what cudaGraphKernelNodeGetParams gives out
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order in which they were added
  GraphNode *add(Work, std::vector<GraphNode *> before);
  bool has(const GraphNode *) const;
};

/// These nodes and all that they wait for.
std::set<const GraphNode *> with_ancestors(const std::vector<GraphNode *> &);
/// Every node behind what it waits for; fewer than there are if some wait in a circle.
std::vector<GraphNode *> in_order(const Graph &);
/// `copies`: the clone of each node, if wanted.
std::shared_ptr<Graph> clone(const Graph &, std::map<const GraphNode *, GraphNode *> *copies = nullptr);

/// An instantiated graph.
struct GraphExec {
  std::shared_ptr<Graph> graph;                     ///< a copy
  std::map<const GraphNode *, GraphNode *> copies;  ///< by the node that the program knows
  std::set<const GraphNode *> disabled;             ///< of the copies
  unsigned long long flags = 0;
};

/// A stream that is captured, with those that joined it.
struct Capture {
  std::shared_ptr<Graph> graph;
  std::uint64_t origin = 0;  ///< handle of the stream in which it began
  unsigned long long id = 0;
  bool relaxed = false;   ///< calls that wait for the device do no harm
  bool broken = false;    ///< by a call that cannot be captured
  std::size_t first = 0;  ///< nodes of the graph before it
};

cudaGraphNodeType type_of(const Work &);

}  // namespace warpgrade::cuda
