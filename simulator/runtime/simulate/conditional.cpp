// Conditional nodes of graphs: their conditions, which kernels set, and what runs for them.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/simulate/graph.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

using NodeKind = ConditionalWork::Kind;

/// The body that the condition asks for, if there is one.
std::shared_ptr<Graph> chosen(const ConditionalWork &work, unsigned value) {
  std::size_t index = value;
  if (work.kind != NodeKind::choice) index = value == 0 ? 1 : 0;
  return index < work.bodies.size() ? work.bodies[index] : nullptr;
}

void report_endless(Runtime &r, std::uint64_t rounds) {
  Finding finding;
  finding.code = "time_limit";
  finding.call = "cudaGraphLaunch";
  finding.message = fmt::format(
      "the body of a while node has run {} times, and its condition is still not 0; does a kernel of the "
      "body "
      "set it with cudaGraphSetConditional?",
      rounds);
  r.note(std::move(finding));
  r.pending = cudaErrorLaunchTimeout;
}

bool may_be_in_body(const Work &work) {
  return !std::holds_alternative<HostWork>(work) && !std::holds_alternative<EventWork>(work) &&
         !std::holds_alternative<AllocateWork>(work) && !std::holds_alternative<FreeWork>(work);
}

}  // namespace

void reset_conditions(Runtime &r, const Graph &graph) {
  for_each_node(graph, [&r](const GraphNode &node) {
    const auto *work = std::get_if<ConditionalWork>(&node.work);
    if (work == nullptr) return;
    GraphCondition &condition = r.conditions.at(work->handle);
    condition.value = condition.at_launch;
  });
}

void set_conditions(Runtime &r, const std::string &kernel, const std::vector<simt::Condition> &set) {
  for (const simt::Condition &one : set) {
    const auto found = r.conditions.find(one.handle);
    if (found != r.conditions.end()) {
      found->second.value = one.value;
      continue;
    }
    Finding finding;
    finding.code = "api_error";
    finding.message = fmt::format(
        "cudaGraphSetConditional was given {:#x}, which cudaGraphConditionalHandleCreate has not made",
        one.handle);
    finding.kernel = kernel;
    r.note(std::move(finding));
  }
}

cudaError_t perform(Runtime &r, const char *call, const ConditionalWork &work) {
  constexpr std::uint64_t cost_of_round = 10'000;  // in warp instructions, for the limit of all together
  const StreamOrder::Nodes outside = r.order.nodes();
  const std::uint64_t begun = r.clock;
  const GraphCondition &condition = r.conditions.at(work.handle);
  NodeSet before = outside.before;
  cudaError_t error = cudaSuccess;
  for (std::uint64_t rounds = 0; error == cudaSuccess && r.pending == cudaSuccess;) {
    if (!condition.value)
      r.mistake(
          call, "api_error",
          "a conditional node is reached, and nothing has set its condition in this launch; set it with "
          "cudaGraphSetConditional before, or give the handle a default with "
          "cudaGraphCondAssignDefault");
    std::shared_ptr<Graph> body = chosen(work, condition.value.value_or(0));
    if (body == nullptr) break;
    if (r.clock - begun + rounds * cost_of_round > r.options.instruction_budget) {
      report_endless(r, rounds);
      break;
    }
    const std::size_t first = r.order.begin_node(before, outside.forks);
    error = perform(r, call, GraphWork{std::move(body)});
    for (std::size_t one = first; one != 0 && one <= r.order.nodes().count; ++one) before.add(one);
    ++rounds;
    if (work.kind != NodeKind::while_true) break;
  }
  r.order.end_nodes(outside);
  return error;
}

bool has_wrong_bodies(Runtime &r, const char *call, const Graph &graph) {
  bool wrong = false;
  for_each_node(graph, [&](const GraphNode &node) {
    if (wrong || !std::holds_alternative<ConditionalWork>(node.work)) return;
    for (const auto &body : graphs_in(node.work))
      for_each_node(*body, [&](const GraphNode &inner) { wrong = wrong || !may_be_in_body(inner.work); });
  });
  if (wrong)
    r.mistake(call, "api_error",
              "the body of a conditional node holds kernels, copies, fills, empty nodes, child graphs and "
              "conditional nodes only");
  return wrong;
}

}  // namespace warpgrade::cuda
