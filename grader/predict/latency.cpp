#include "predict/latency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warpgrade::predict {

namespace {

constexpr double barrier_cycles = 30;
/// Loads that a warp waits for at the same time: one that misses makes it wait for all.
constexpr std::size_t loads_in_flight = 8;

/// One instruction of a basic block, reduced to what decides when it starts and ends.
struct Timed {
  std::vector<std::int32_t> from, to;  ///< registers
  double latency = 0;
  bool barrier = false;
  bool store = false;          ///< nothing but a barrier waits for it
  std::ptrdiff_t joined = -1;  ///< position in the basic block of the shared load that ptxas joins it to
  bool issued = true;          ///< ptxas leaves an instruction of it
  bool memory = false;
  bool early = false;  ///< ptxas moves it up as far as it can: loads of global memory and their addresses
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

/// Of a load of global memory, all loads in flight with it taken together: one that misses makes the warp
/// wait.
double global_latency(const Architecture &a, LoadHits hits) {
  const double l1 = std::pow(hits.l1, 2 * loads_in_flight), l2 = hits.l2;
  return l1 * a.l1_latency + (1 - l1) * (l2 * a.l2_latency + (1 - l2) * a.dram_latency);
}

bool costs_nothing(std::string_view opcode) {
  return opcode.starts_with("ld.param") || opcode.starts_with("ld.const") || opcode.starts_with("mov") ||
         opcode.starts_with("cvta");
}

bool computes(std::string_view opcode) {
  return opcode.ends_with(".f32") || opcode.ends_with(".f64") || opcode.ends_with(".f16x2") ||
         opcode.starts_with("mma") || opcode.starts_with("wmma") || opcode.starts_with("shfl");
}

bool uses_memory(std::string_view opcode) {
  for (const std::string_view start : {"ld.", "st.", "atom", "red.", "cp.", "ldmatrix"})
    if (opcode.starts_with(start)) return true;
  return false;
}

double latency_of(std::string_view opcode, const Architecture &a, LoadHits hits) {
  const auto is = [&](std::string_view start) { return opcode.starts_with(start); };
  if (costs_nothing(opcode)) return 0;
  if (is("ld.shared") || is("shfl") || is("ldmatrix")) return a.shared_latency;
  if (is("atom")) return a.l2_latency;
  if (is("ld.")) return global_latency(a, hits);
  if (is("st.") || is("bra") || is("bar")) return 0;
  if (is("mma") || is("wmma.mma")) return 8 * a.fp32_latency;
  if (is("div") || is("rem") || is("sqrt")) return 10 * a.fp32_latency;
  return a.fp32_latency;
}

Timed timed(const ptx::Instruction &instruction, const Architecture &a, LoadHits hits) {
  Timed t;
  t.latency = latency_of(instruction.opcode, a, hits);
  t.issued = !costs_nothing(instruction.opcode);
  t.memory = t.issued && uses_memory(instruction.opcode);
  t.early = t.memory ? t.latency > a.shared_latency : !computes(instruction.opcode);
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

/// A basic block of the path.
struct Part {
  std::vector<Timed> instructions;
  bool parts = false;  ///< ends with a branch that the machine code has as well
};

/// Instructions that ptxas guards rather than jump over.
constexpr std::ptrdiff_t most_guarded = 16;

/// Whether ptxas turns the jump into guards of the few instructions that it passes over.
bool is_guard(const ptx::Function &f, const ptx::Instruction &jump) {
  const std::ptrdiff_t from = &jump - f.instructions.data();
  if (jump.guard < 0 || jump.operands.empty()) return false;
  for (const ptx::Label &label : f.labels) {
    if (label.name != jump.operands.back().name) continue;
    const std::ptrdiff_t passed = static_cast<std::ptrdiff_t>(label.instruction) - from - 1;
    if (passed < 0 || passed > most_guarded) return false;
    return std::none_of(
        f.instructions.begin() + from + 1, f.instructions.begin() + label.instruction,
        [](const ptx::Instruction &i) { return i.opcode.starts_with("bra") || i.opcode.starts_with("bar"); });
  }
  return false;
}

/// The shared load before this one that reads the same 16 bytes: ptxas makes one instruction of both.
std::ptrdiff_t joined_to(const std::vector<const ptx::Instruction *> &before, const ptx::Instruction &load) {
  const auto is_load = [](const ptx::Instruction &i) {
    return i.opcode.starts_with("ld.shared") && i.operands.size() == 2 && i.guard < 0;
  };
  if (!is_load(load)) return -1;
  const ptx::Operand &at = load.operands[1];
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_load(*before[i])) continue;
    const ptx::Operand &other = before[i]->operands[1];
    if (other.reg == at.reg && other.name == at.name && other.value / 16 == at.value / 16)
      return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

/// The instructions of each basic block of the path; those of other functions than the first are left out.
std::vector<Part> parts_of(const ptx::Module &module, const simt::Path &path, const Architecture &a,
                           LoadHits hits, std::size_t &registers) {
  std::vector<Part> blocks(path.blocks.size());
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
    std::vector<const ptx::Instruction *> before;
    for (; at != function->instructions.end() && at->text_line <= block.last_line; ++at) {
      blocks[b].instructions.push_back(timed(*at, a, hits));
      blocks[b].instructions.back().joined = joined_to(before, *at);
      before.push_back(&*at);
      blocks[b].parts = at->opcode.starts_with("bra") && !is_guard(*function, *at);
    }
  }
  return blocks;
}

}  // namespace

double path_cycles(const ptx::Module &module, const simt::Path &path, const Architecture &a, LoadHits hits,
                   Slots slots) {
  if (path.steps.empty()) return 0;
  std::size_t registers = 0;
  const std::vector<Part> parts = parts_of(module, path, a, hits, registers);
  std::vector<double> ready(registers, 0), ends;
  double now = 0, stored = 0;
  std::array<double, loads_in_flight> in_flight{};  // when they end
  std::size_t loads = 0;
  for (const std::uint32_t step : path.steps) {
    const double begin = now;
    double last = now, moved = now, issued = now, taken = now, slots_used = 0;
    double fence = now;  // nothing moves over a barrier
    ends.clear();
    for (const Timed &t : parts[step].instructions) {
      if (t.joined >= 0) {
        ends.push_back(ends[static_cast<std::size_t>(t.joined)]);
        for (const std::int32_t r : t.to) ready.at(static_cast<std::size_t>(r)) = ends.back();
        continue;
      }
      const bool free = t.early || t.store;
      double &turn = free ? moved : issued;  // when the next instruction of its kind can be issued
      double start = std::max({fence, turn, t.memory ? taken : 0});
      if (t.memory) taken = start + slots.memory;
      for (const std::int32_t r : t.from) start = std::max(start, ready.at(static_cast<std::size_t>(r)));
      const bool waits = t.early && t.memory;
      if (waits) start = std::max(start, in_flight[loads % loads_in_flight]);
      if (waits) in_flight[loads++ % loads_in_flight] = start + t.latency;
      if (t.issued) turn = (free ? turn : start) + slots.issue, slots_used += slots.issue;
      if (t.barrier) start = fence = std::max({start, last, stored}) + barrier_cycles;
      ends.push_back(start + t.latency);
      // A load only starts here; whoever reads the register waits.
      double &until = t.store ? stored : last;
      until = std::max(until, start);
      for (const std::int32_t r : t.to) ready.at(static_cast<std::size_t>(r)) = start + t.latency;
    }
    now = std::max({last, begin + slots_used, taken});
    // Warps issue in order. ptxas moves loads over stores that wait for others, but not over a branch.
    if (parts[step].parts) now = std::max(now, stored);
  }
  return std::max(now, stored);
}

}  // namespace warpgrade::predict
