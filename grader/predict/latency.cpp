#include "predict/latency.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace warpgrade::predict {

namespace {

constexpr double barrier_cycles = 30;
/// Loads that a warp waits for at the same time: one that misses makes it wait for all.
constexpr double loads_in_flight = 8;

/// One instruction of a basic block, reduced to what decides when it starts and ends.
struct Timed {
  std::vector<std::int32_t> from, to;  ///< registers
  double latency = 0;
  bool barrier = false;
  bool store = false;  ///< nothing but a barrier waits for it
};

void collect(const ptx::Operand &operand, std::vector<std::int32_t> &registers) {
  if (operand.reg >= 0) registers.push_back(operand.reg);
  if (operand.second >= 0) registers.push_back(operand.second);
  for (const ptx::Operand &element : operand.elements) collect(element, registers);
}

bool writes_nothing(std::string_view opcode) {
  for (const std::string_view start : {"st.", "bra", "bar", "red", "ret", "exit", "cp.", "membar", "fence"})
    if (opcode.starts_with(start)) return true;
  return false;
}

double latency_of(std::string_view opcode, const Architecture &a, double l1_hits) {
  const auto is = [&](std::string_view start) { return opcode.starts_with(start); };
  if (is("ld.param") || is("ld.const") || is("mov") || is("cvta")) return 0;
  if (is("ld.shared") || is("shfl") || is("ldmatrix")) return a.shared_latency;
  if (is("atom")) return a.l2_latency;
  if (is("ld.")) {
    const double all_hit = std::pow(l1_hits, loads_in_flight);
    return all_hit * a.l1_latency + (1 - all_hit) * a.l2_latency;
  }
  if (is("st.") || is("bra") || is("bar")) return 0;
  if (is("mma") || is("wmma.mma")) return 8 * a.fp32_latency;
  if (is("div") || is("rem") || is("sqrt")) return 10 * a.fp32_latency;
  return a.fp32_latency;
}

Timed timed(const ptx::Instruction &instruction, const Architecture &a, double l1_hits) {
  Timed t;
  t.latency = latency_of(instruction.opcode, a, l1_hits);
  t.barrier = std::string_view(instruction.opcode).starts_with("bar");
  t.store = std::string_view(instruction.opcode).starts_with("st.");
  if (instruction.guard >= 0) t.from.push_back(instruction.guard);
  const bool all_sources = writes_nothing(instruction.opcode);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool to = i == 0 && !all_sources;
    collect(instruction.operands[i], to ? t.to : t.from);
  }
  return t;
}

/// The instructions of each basic block of the path; those of other functions than the first are left out.
std::vector<std::vector<Timed>> blocks_of(const ptx::Module &module, const simt::Path &path,
                                          const Architecture &a, double l1_hits, std::size_t &registers) {
  std::vector<std::vector<Timed>> blocks(path.blocks.size());
  const int first = path.blocks.front().first_line;
  const ptx::Function *function = nullptr;
  for (const ptx::Function &f : module.functions)
    if (!f.instructions.empty() && f.instructions.front().text_line <= first &&
        first <= f.instructions.back().text_line)
      function = &f;
  if (function == nullptr) return blocks;
  registers = function->registers.size();
  for (std::size_t b = 0; b < path.blocks.size(); ++b) {
    const simt::PathBlock &block = path.blocks[b];
    auto at =
        std::lower_bound(function->instructions.begin(), function->instructions.end(), block.first_line,
                         [](const ptx::Instruction &i, std::int32_t line) { return i.text_line < line; });
    for (; at != function->instructions.end() && at->text_line <= block.last_line; ++at)
      blocks[b].push_back(timed(*at, a, l1_hits));
  }
  return blocks;
}

}  // namespace

double warp_cycles(const ptx::Module &module, const simt::Path &path, const Architecture &a, double l1_hits) {
  if (path.steps.empty()) return 0;
  std::size_t registers = 0;
  const auto blocks = blocks_of(module, path, a, l1_hits, registers);
  std::vector<double> ready(registers, 0);
  double now = 0, stored = 0;
  for (const std::uint32_t step : path.steps) {
    double last = now;
    double fence = now;  // nothing moves over a barrier
    for (const Timed &t : blocks[step]) {
      double start = fence;
      for (const std::int32_t r : t.from) start = std::max(start, ready.at(static_cast<std::size_t>(r)));
      if (t.barrier) start = fence = std::max({start, last, stored}) + barrier_cycles;
      // A load only starts here; whoever reads the register waits.
      double &until = t.store ? stored : last;
      until = std::max(until, start);
      for (const std::int32_t r : t.to) ready.at(static_cast<std::size_t>(r)) = start + t.latency;
    }
    now = last;
  }
  return std::max(now, stored);
}

}  // namespace warpgrade::predict
