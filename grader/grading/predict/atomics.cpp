#include "predict/atomics.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "predict/lanes.hpp"

namespace warpgrade::predict {

namespace {

/// What one atomic request costs, in cycles: the load and store unit, or a line of the L2 cache.
struct Turns {
  double shared = 0, global = 0;
  std::string buffer;
  void operator+=(const Turns &o) {
    shared += o.shared, global += o.global;
    if (buffer.empty()) buffer = o.buffer;
  }
};

/// Words of the same bank take turns. So do lanes of the same word, unless they only count. In L2, a request takes a line
/// 3.5 cycles, 2.2 more for each further sector, and 1.4 for each further lane of the same word: measured on an H200.
Turns turns_of(const simt::LaneSample &s, bool counts_only) {
  constexpr double first_sector = 3.5, next_sector = 2.2, same_word = 1.4;
  std::map<std::int64_t, double> lanes_of_word, turns_of_bank, sectors_of_line, most_of_line;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane)
    if (((s.mask >> lane) & 1) != 0 && s.offsets[lane] >= 0) lanes_of_word[s.offsets[lane] / 4] += 1;
  Turns turns;
  if (s.space == ptx::Space::shared) {
    for (const auto &[word, lanes] : lanes_of_word)
      turns.shared = std::max(turns.shared, turns_of_bank[word % 32] += counts_only ? 1 : lanes);
    return turns;
  }
  std::set<std::int64_t> sectors;
  for (const auto &[word, lanes] : lanes_of_word) {
    if (sectors.insert(word / 8).second) sectors_of_line[word / 32] += 1;
    most_of_line[word / 32] = std::max(most_of_line[word / 32], lanes);
  }
  for (const auto &[line, count] : sectors_of_line)
    turns.global += first_sector + next_sector * (count - 1) + same_word * (most_of_line[line] - 1);
  turns.buffer = s.buffer;
  return turns;
}

/// By line.
std::map<simt::SourceLine, double> requests_of(const run::SampledLaunch &launch) {
  std::map<simt::SourceLine, double> all;
  double blocks = 0;
  for (const run::SampledBlock &b : launch.blocks) {
    blocks += static_cast<double>(b.stands_for);
    for (const auto &[at, c] : b.counters.lines)
      if (c.atomic_requests > 0)
        all[at] += static_cast<double>(b.stands_for) * static_cast<double>(c.atomic_requests);
  }
  for (auto &[at, requests] : all) requests /= blocks;
  return all;
}

/// Whether the atomic operation of this line adds 1 to shared memory: then lanes of the same word take one turn.
bool counts_only(const ptx::Module &module, const simt::SourceLine &at) {
  bool any = false;
  for (const ptx::Function &f : module.functions)
    for (const ptx::Instruction &i : f.instructions) {
      const bool adds = i.opcode.starts_with("atom.shared.add") || i.opcode.starts_with("red.shared.add");
      if (!i.opcode.starts_with("atom") && !i.opcode.starts_with("red.")) continue;
      if (i.location < 0 || ptx::source_line(module, i.location) != at) continue;
      const ptx::Operand &by = i.operands.back();
      if (!adds || by.reg >= 0 || by.value != 1) return false;
      any = true;
    }
  return any;
}

}  // namespace

AtomicCost atomics_of(const Call &call, const run::SampledLaunch &launch) {
  AtomicCost cost;
  for (const auto &[at, requests] : requests_of(launch)) {
    const bool counts = counts_only(*call.module, at);
    Turns turns;
    double samples = 0;
    for (const simt::LaneSample &s : call.samples)
      if (s.at == at && is_atomic(s)) turns += turns_of(s, counts), samples += 1;
    if (samples == 0) continue;
    cost.shared += requests * turns.shared / samples;
    if (turns.global == 0) continue;
    cost.global += requests;
    cost.at_l2[turns.buffer] += requests * turns.global / samples;
  }
  return cost;
}

}  // namespace warpgrade::predict
