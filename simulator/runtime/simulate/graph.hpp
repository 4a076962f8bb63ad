// Graphs: nodes of work that wait for each other, built by hand or captured from streams, and run in an order
// that respects what waits for what.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "machine/device.hpp"
#include "runtime/work.hpp"

namespace warpgrade::cuda {

struct Graph;
class Runtime;

struct GraphNode {
  Graph *graph = nullptr;
  Work work;
  std::vector<GraphNode *> before;  ///< what it waits for
  const GraphNode *clone_of = nullptr;
  std::vector<void *> argument_pointers;  ///< what cudaGraphKernelNodeGetParams gives out
  std::vector<cudaGraph_t> bodies;        ///< what cudaGraphAddNode gives out for a conditional node
};

/// Something of the program's that is destroyed with its last reference.
struct UserObject {
  UserObject(void *what, cudaHostFn_t how) : data(what), destroy(how) {}
  ~UserObject();
  UserObject(const UserObject &) = delete;
  UserObject &operator=(const UserObject &) = delete;
  void *data;
  cudaHostFn_t destroy;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;            ///< in the order in which they were added
  std::map<std::shared_ptr<UserObject>, unsigned> objects;  ///< with the references that the graph holds
  GraphNode *add(Work, std::vector<GraphNode *> before);
  bool has(const GraphNode *) const;
};

/// These nodes and all that they wait for.
std::set<const GraphNode *> with_ancestors(const std::vector<GraphNode *> &);
/// Every node after those it waits for; fewer than all if some wait in a cycle.
std::vector<GraphNode *> in_order(const Graph &);
/// The graphs in a node: its child, or the bodies of a conditional node.
std::vector<std::shared_ptr<Graph>> graphs_in(const Work &);
/// Nodes of the graph and of those in it.
template <class Visit>
void for_each_node(const Graph &graph, const Visit &visit) {
  for (const auto &node : graph.nodes) {
    visit(*node);
    for (const auto &inner : graphs_in(node->work)) for_each_node(*inner, visit);
  }
}
using Copies = std::map<const GraphNode *, GraphNode *>;
/// The same work with its own copy of the graphs in it.
Work copy_of(const Work &, Copies * = nullptr);
/// `copies`: the clone of each node, those of graphs in it too, if wanted.
std::shared_ptr<Graph> clone(const Graph &, Copies *copies = nullptr);

/// An instantiated graph.
struct GraphExec {
  std::shared_ptr<Graph> graph;          ///< a copy
  Copies copies;                         ///< by the node that the program knows
  std::set<const GraphNode *> disabled;  ///< of the copies
  unsigned long long flags = 0;
};

/// What a conditional node looks at.
struct GraphCondition {
  std::optional<unsigned> at_launch;  ///< set when a graph with it is launched
  std::optional<unsigned> value;
  bool has_node = false;
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

// conditional.cpp
/// Conditions of the graph, as they are before a launch.
void reset_conditions(Runtime &, const Graph &);
/// What a kernel has set.
void set_conditions(Runtime &, const std::string &kernel, const std::vector<simt::Condition> &);
cudaError_t perform(Runtime &, const char *call, const ConditionalWork &);
/// Whether bodies of conditional nodes hold what a GPU cannot run there; says so.
bool has_wrong_bodies(Runtime &, const char *call, const Graph &);

}  // namespace warpgrade::cuda
