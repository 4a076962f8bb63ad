#include "predict/program.hpp"

namespace warpgrade::predict {

std::uint32_t Program::add(std::vector<Step> code, const std::vector<std::vector<std::int32_t>> &from,
                           const std::vector<std::vector<std::int32_t>> &to) {
  const auto first = static_cast<std::uint32_t>(steps.size());
  constexpr std::size_t most = 255;
  for (std::size_t i = 0; i < code.size(); ++i) {
    Step s = code[i];
    s.from = static_cast<std::uint8_t>(std::min(most, from[i].size()));
    s.to = static_cast<std::uint8_t>(std::min(most, to[i].size()));
    s.results = static_cast<std::uint32_t>(results.size());
    results.insert(results.end(), from[i].begin(), from[i].begin() + s.from);
    results.insert(results.end(), to[i].begin(), to[i].begin() + s.to);
    steps.push_back(s);
  }
  stretches.push_back({first, static_cast<std::uint32_t>(steps.size())});
  return static_cast<std::uint32_t>(stretches.size() - 1);
}

std::vector<double> Program::executed() const {
  std::vector<double> passed(stretches.size()), all(steps.size());
  for (const std::uint32_t s : path) passed[s] += 1;
  for (std::size_t s = 0; s < stretches.size(); ++s)
    for (std::uint32_t i = stretches[s].first; i < stretches[s].last; ++i) all[i] += passed[s];
  return all;
}

void Program::sum_up(const Architecture &a) {
  count = {}, busy = {}, instructions = 0;
  const std::vector<double> times = executed();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    count[static_cast<std::size_t>(steps[i].kind)] += times[i];
    busy[static_cast<std::size_t>(steps[i].pipe)] += times[i] * cycles_of(steps[i].pipe, a);
  }
  for (std::size_t k = 1; k < kinds; ++k) instructions += count[k];
}

double cycles_of(Pipe pipe, const Architecture &a) {
  // Half a warp in a cycle, but for double precision and special functions.
  constexpr double half_warp = 2, special_lanes = 16;
  switch (pipe) {
    case Pipe::none:
      return 0;
    case Pipe::fma:
    case Pipe::fma_heavy:
    case Pipe::alu:
      return half_warp;
    case Pipe::fp64:
      return a.issue / a.fp64;
    case Pipe::special:
      return a.issue * 32 / special_lanes;
  }
  return 0;
}

}  // namespace warpgrade::predict
