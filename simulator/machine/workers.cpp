#include "machine/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpgrade::simt {

std::string gather_output(const Workers &workers, std::uint64_t last_block, std::size_t limit) {
  std::map<std::uint64_t, const std::string *> by_block;
  for (const auto &worker : workers)
    for (const auto &[block, text] : worker->printed)
      if (block <= last_block) by_block[block] = &text;
  std::string all;
  for (const auto &[block, text] : by_block) {
    all += *text;
    if (all.size() > limit) break;
  }
  if (all.size() > limit) all.resize(limit);
  return all;
}

Path path_of(const Program &program, std::vector<std::uint32_t> steps) {
  Path path;
  path.cut = steps.size() > Path::most;
  if (path.cut) steps.resize(Path::most);
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t &step : steps) {
    const auto [at, first] = numbers.emplace(step, static_cast<std::uint32_t>(path.blocks.size()));
    if (first) path.blocks.push_back({program.blocks[step].first_line, program.blocks[step].last_line});
    step = at->second;
  }
  path.steps = std::move(steps);
  return path;
}

std::string where_warps_stand(const Workers &workers) {
  std::map<SourceLine, std::uint32_t> by_line;
  for (const auto &worker : workers)
    for (const auto &[line, warps] : worker->standing()) by_line[line] += warps;
  std::vector<std::pair<SourceLine, std::uint32_t>> lines(by_line.begin(), by_line.end());
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto &a, const auto &b) { return a.second > b.second; });
  constexpr std::size_t most_lines = 5;
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::string text;
  for (const auto &[line, warps] : lines)
    text += fmt::format("{} {} in {}", text.empty() ? ";" : ",",
                        warps == 1 ? "1 warp is" : fmt::format("{} warps are", warps),
                        line.line == 0 ? "an unknown line" : fmt::format("{}:{}", line.file, line.line));
  return text;
}

}  // namespace warpgrade::simt
