// What a call on several devices moves between them, from what the simulator counted, and when it would run.
#include <algorithm>
#include <stdexcept>

#include "grading/step_grader.hpp"
#include "links/report.hpp"
#include "links/schedule.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::size_t most_lines = 200;

/// The operations with the launcher's line at what it copies.
std::vector<links::Operation> with_lines(const course::Step &step, const std::vector<run::Moved> &moved,
                                         const LineOfOperation &line_of) {
  std::vector<links::Operation> all;
  for (const run::Moved &one : moved) {
    all.push_back(one.moves);
    if (one.moves.kernel || one.moves.transfers.empty() || !line_of) continue;
    if (const int line = line_of(one.operation); line > 0)
      for (links::Transfer &t : all.back().transfers) t.at = {step.file, line};
  }
  return all;
}

/// How long data of a line, or of a call, is on its way between devices while no other kernel computes.
double alone_us(const links::Schedule &s, const std::vector<links::Operation> &all, const links::Row &row) {
  double sum = 0;
  for (const links::Passage &one : s.passages) {
    const links::Operation &operation = all[one.operation];
    const bool here = one.transfer.from == row.from && one.transfer.to == row.to &&
                      (row.at.line > 0 || operation.what == row.what);
    const auto of_line = [&](const links::Transfer &t) {
      return t.at == row.at && t.from == row.from && t.to == row.to;
    };
    if (here && std::ranges::any_of(operation.transfers, of_line)) sum += s.alone_us(one.span);
  }
  return sum;
}

}  // namespace

std::optional<run::LinkCounts> link_counts(const course::Step &step, const plan::LaunchPlan &plan,
                                           const std::vector<run::Moved> &moved,
                                           const LineOfOperation &line_of) {
  if (plan.streams.empty()) return std::nullopt;
  if (moved.size() > plan.operations.size())  // the simulator reads what students wrote, and is not believed
    throw std::runtime_error("the simulator reports more operations than the plan has");
  int devices = 1;
  for (const plan::DeviceStream &stream : plan.streams) devices = std::max(devices, stream.device + 1);
  const links::Topology topology = links::read_topology(step.links, devices);
  const std::vector<links::Operation> operations = with_lines(step, moved, line_of);
  const links::Schedule s = links::plan(topology, operations);
  run::LinkCounts made;
  made.topology = topology.id;
  if (s.busiest >= 0) made.busiest = topology.links[static_cast<std::size_t>(s.busiest)].name();
  made.busiest_bytes = s.busiest_bytes;
  for (const auto &[pair, load] : s.of_pair)
    made.directions.push_back({pair.first, pair.second, load.bytes, load.messages});
  made.total_us = s.total_us;
  made.communication_us = s.communication_us;
  made.overlapped_us = s.beside_us;
  for (std::size_t d = 0; d < s.busy_us.size(); ++d) made.idle.push_back(s.idle(d));
  for (const links::Row &row : links::rows_of(operations)) {
    if (made.lines.size() == most_lines) break;
    const std::vector<std::size_t> route = topology.route(row.from, row.to);
    const bool between = row.from != links::host && row.to != links::host;
    const bool busiest =
        between && std::ranges::find(route, static_cast<std::size_t>(s.busiest)) != route.end();
    made.lines.push_back({row.at.file, row.at.line, row.what, row.from, row.to, row.load.bytes,
                          row.load.messages, busiest ? row.load.bytes : 0,
                          between ? alone_us(s, operations, row) : 0});
  }
  return made;
}

}  // namespace warpgrade::grading
