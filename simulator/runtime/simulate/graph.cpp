#include "runtime/simulate/graph.hpp"

#include <algorithm>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

GraphNode *Graph::add(Work work, std::vector<GraphNode *> before) {
  auto made = std::make_unique<GraphNode>();
  made->graph = this;
  made->work = std::move(work);
  made->before = std::move(before);
  nodes.push_back(std::move(made));
  return nodes.back().get();
}

bool Graph::has(const GraphNode *node) const {
  return std::any_of(nodes.begin(), nodes.end(), [node](const auto &one) { return one.get() == node; });
}

std::set<const GraphNode *> with_ancestors(const std::vector<GraphNode *> &nodes) {
  std::set<const GraphNode *> reached;
  std::vector<const GraphNode *> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const GraphNode *one = open.back();
    open.pop_back();
    if (reached.insert(one).second) open.insert(open.end(), one->before.begin(), one->before.end());
  }
  return reached;
}

std::vector<GraphNode *> in_order(const Graph &graph) {
  std::vector<GraphNode *> order;
  std::set<const GraphNode *> done;
  for (bool progress = true; progress;) {  // as a rule the nodes are in order already: one round
    progress = false;
    for (const auto &node : graph.nodes) {
      if (done.count(node.get()) != 0) continue;
      if (!std::all_of(node->before.begin(), node->before.end(),
                       [&](const GraphNode *one) { return done.count(one) != 0; }))
        continue;
      order.push_back(node.get());
      done.insert(node.get());
      progress = true;
    }
  }
  return order;
}

std::vector<std::shared_ptr<Graph>> graphs_in(const Work &work) {
  if (const auto *child = std::get_if<GraphWork>(&work)) return {child->graph};
  if (const auto *conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
  return {};
}

Work copy_of(const Work &work, Copies *copies) {
  Work made = work;
  if (auto *child = std::get_if<GraphWork>(&made)) child->graph = clone(*child->graph, copies);
  if (auto *conditional = std::get_if<ConditionalWork>(&made))
    for (auto &body : conditional->bodies) body = clone(*body, copies);
  return made;
}

std::shared_ptr<Graph> clone(const Graph &graph, Copies *copies) {
  auto made = std::make_shared<Graph>();
  made->objects = graph.objects;
  Copies own;
  for (const auto &node : graph.nodes) {
    GraphNode *const copy = made->add(copy_of(node->work, copies), {});
    copy->clone_of = node.get();
    own[node.get()] = copy;
  }
  for (const auto &node : graph.nodes)
    for (const GraphNode *one : node->before) own[node.get()]->before.push_back(own.at(one));
  if (copies != nullptr) copies->merge(own);
  return made;
}

cudaGraphNodeType type_of(const Work &work) {
  struct Visit {
    cudaGraphNodeType operator()(const EmptyWork &) const { return cudaGraphNodeTypeEmpty; }
    cudaGraphNodeType operator()(const KernelWork &) const { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const CopyWork &) const { return cudaGraphNodeTypeMemcpy; }
    cudaGraphNodeType operator()(const FillWork &) const { return cudaGraphNodeTypeMemset; }
    cudaGraphNodeType operator()(const HostWork &) const { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const EventWork &event) const {
      return event.records ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent;
    }
    cudaGraphNodeType operator()(const GraphWork &) const { return cudaGraphNodeTypeGraph; }
    cudaGraphNodeType operator()(const ConditionalWork &) const {
      return static_cast<cudaGraphNodeType>(13);  // cudaGraphNodeTypeConditional, which CUDA 12.2 lacks
    }
    cudaGraphNodeType operator()(const AllocateWork &) const { return cudaGraphNodeTypeMemAlloc; }
    cudaGraphNodeType operator()(const FreeWork &) const { return cudaGraphNodeTypeMemFree; }
  };
  return std::visit(Visit{}, work);
}

namespace {

/// Whether each node waits for the one before it, so that they run in this order alone.
bool is_chain(const std::vector<GraphNode *> &nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const std::vector<GraphNode *> &before = nodes[i]->before;
    if (std::find(before.begin(), before.end(), nodes[i - 1]) == before.end()) return false;
  }
  return true;
}

struct Performer {
  Runtime &r;
  const char *call;
  cudaError_t operator()(const EmptyWork &) const { return cudaSuccess; }
  cudaError_t operator()(const KernelWork &work) const { return launch_kernel(r, call, work); }
  cudaError_t operator()(const CopyWork &work) const { return copy(r, call, work); }
  cudaError_t operator()(const FillWork &work) const { return fill(r, call, work); }
  cudaError_t operator()(const HostWork &work) const {
    if (r.pending != cudaSuccess) return cudaSuccess;
    r.flush_printed();
    r.order.host_node_runs(r);
    const StreamOrder::Place place = r.order.pause();
    const int current = r.current;
    r.mutex.unlock();  // callbacks of a program may take their time, and wait for its other threads
    {
      const HostFunction inside;
      work.function(work.data);
    }
    r.mutex.lock();
    r.use(current);
    r.host_watch.lift(r);  // calls of other threads may have ended
    r.order.resume(place);
    return cudaSuccess;
  }
  cudaError_t operator()(const EventWork &work) const {
    const auto found = r.events.find(number(work.event));
    if (found == r.events.end()) return cudaErrorInvalidResourceHandle;
    if (!work.records) {
      r.order.wait(r, r.order.stream(), number(work.event));
      return cudaSuccess;
    }
    found->second.recorded = true;
    found->second.at = r.clock;
    r.order.record(r, r.order.stream(), number(work.event));
    return cudaSuccess;
  }
  cudaError_t operator()(const GraphWork &work) const {
    const std::vector<GraphNode *> nodes = in_order(*work.graph);
    const StreamOrder::Nodes outside = r.order.nodes();
    const bool forks = !is_chain(nodes);
    std::map<const GraphNode *, NodeSet>
        done;  // each node with all that it waits for, if some are not in order
    NodeSet before = outside.before;
    cudaError_t error = cudaSuccess;
    for (const GraphNode *node : nodes) {
      if (forks) before = outside.before;
      for (const GraphNode *one : node->before)
        if (forks) before.add(done.at(one));
      const std::size_t first = r.order.begin_node(before, outside.forks || forks);
      error = perform(r, call, node->work);
      if (error != cudaSuccess) break;
      for (std::size_t one = first; one != 0 && one <= r.order.nodes().count; ++one) before.add(one);
      if (forks) done[node] = before;
    }
    r.order.end_nodes(outside);
    return error;
  }
  cudaError_t operator()(const ConditionalWork &work) const { return cuda::perform(r, call, work); }
  cudaError_t operator()(const AllocateWork &) const { return cudaSuccess; }
  cudaError_t operator()(const FreeWork &) const { return cudaSuccess; }
};

/// Memory that a stream has asked for; that of graphs is no pool's.
void count_pooled(Runtime &r, const AllocateWork &work) {
  Block *block = r.blocks.starting_at(number(work.memory));
  if (block == nullptr) return;
  block->pooled = true;
  Runtime::Usage &of = r.usage[block->device];
  of.pool_bytes += block->bytes;
  of.pool_high_bytes = std::max(of.pool_high_bytes, of.pool_bytes);
}

}  // namespace

cudaError_t perform(Runtime &r, const char *call, const Work &work) {
  return std::visit(Performer{r, call}, work);
}
cudaError_t backend::perform(const char *call, const Work &work) {
  return cuda::perform(runtime(), call, work);
}
cudaError_t backend::submit(const char *call, cudaStream_t stream, Work work) {
  return cuda::submit(runtime(), call, stream, std::move(work));
}

bool is_captured(const Runtime &r, cudaStream_t stream) {
  const auto found = r.streams.find(number(stream));
  return found != r.streams.end() && found->second.capture;
}

cudaError_t submit(Runtime &r, const char *call, cudaStream_t stream, Work work) {
  const auto found = r.streams.find(number(stream));
  if (found == r.streams.end() || !found->second.capture) {
    if (number(stream) <= 1)  // the legacy stream would wait for the captured ones
      for (auto &[handle, one] : r.streams)
        if (one.capture && (one.flags & cudaStreamNonBlocking) == 0) {
          one.capture->broken = true;
          return cudaErrorStreamCaptureImplicit;
        }
    r.order.enter(number(stream));
    if (const auto *allocation = std::get_if<AllocateWork>(&work)) count_pooled(r, *allocation);
    return perform(r, call, work);
  }
  Stream &captured = found->second;
  if (captured.capture->broken) return cudaErrorStreamCaptureInvalidated;
  captured.last = {captured.capture->graph->add(std::move(work), captured.last)};
  return cudaSuccess;
}

}  // namespace warpgrade::cuda
