// The way of a warp through the PTX, where there is no machine code.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "predict/program.hpp"

namespace warpgrade::predict {

namespace {

/// One instruction as ptxas leaves it.
struct Operation {
  Kind kind = Kind::other;
  bool jumps = false;
  float latency = 0;                   ///< but for loads of global memory
  std::int32_t groups = 0;             ///< of copies that may be on their way
  std::int32_t line = 0;               ///< of the text
  std::vector<std::int32_t> from, to;  ///< registers
};

/// Of a warp's loads from global memory before it waits for the first one; assumed.
constexpr std::size_t loads_in_flight = 8;
constexpr float branch_cycles = 12;  ///< until a warp issues again after a branch; fitted

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

bool costs_nothing(std::string_view opcode) {
  return opcode.starts_with("ld.param") || opcode.starts_with("ld.const") || opcode.starts_with("mov") ||
         opcode.starts_with("cvta");
}

bool computes(std::string_view opcode) {
  return opcode.ends_with(".f32") || opcode.ends_with(".f64") || opcode.ends_with(".f16x2") ||
         opcode.starts_with("mma") || opcode.starts_with("wmma") || opcode.starts_with("shfl");
}

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

/// Shared loads start so many instructions earlier than in the PTX, if nothing is in the way; fitted.
constexpr std::ptrdiff_t shared_ahead = 8;

constexpr double integer_latency = 5;  ///< as measured on an H200

Kind kind_of(std::string_view opcode) {
  const auto is = [&](std::string_view start) { return opcode.starts_with(start); };
  if (costs_nothing(opcode)) return Kind::free;
  if (is("cp.async.commit_group")) return Kind::commit;
  if (is("cp.async.wait")) return Kind::wait;
  if (is("bar")) return Kind::barrier;
  if (is("cp.async")) return Kind::copy;
  if (is("atom.shared") || is("red.shared")) return Kind::shared_atomic;
  if (is("atom") || is("red.")) return Kind::global_atomic;
  if (is("ld.shared") || is("ldmatrix")) return Kind::shared_load;
  if (is("st.shared")) return Kind::shared_store;
  if (is("ld.local") || is("st.local")) return Kind::local;
  if (is("st.")) return Kind::global_store;
  if (is("ld.")) return Kind::global_load;
  return computes(opcode) ? Kind::compute : Kind::other;
}

double latency_of(std::string_view opcode, const Architecture &a) {
  const auto is = [&](std::string_view start) { return opcode.starts_with(start); };
  if (costs_nothing(opcode)) return 0;
  if (is("ld.shared") || is("atom.shared") || is("shfl") || is("ldmatrix")) return a.shared_latency;
  if (is("ld.local")) return a.l1_latency;
  if (is("mma") || is("wmma.mma")) return 8 * a.fp32_latency;
  if (is("div") || is("rem") || is("sqrt")) return 10 * a.fp32_latency;
  if (!computes(opcode)) return integer_latency;
  return a.fp32_latency;
}

Operation operation_of(const ptx::Instruction &instruction, const Architecture &a) {
  Operation o;
  o.kind = kind_of(instruction.opcode);
  o.line = instruction.text_line;
  o.latency = static_cast<float>(latency_of(instruction.opcode, a));
  if (o.kind == Kind::wait && !instruction.operands.empty())
    o.groups = static_cast<std::int32_t>(instruction.operands[0].value);
  if (instruction.guard >= 0) o.from.push_back(instruction.guard);
  const bool all_sources = writes_nothing(instruction.opcode);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    collect(instruction.operands[i], i == 0 && !all_sources ? o.to : o.from);
  return o;
}

/// The order in which ptxas puts the instructions of a stretch of code: loads of global memory and their
/// addresses as early as loads_in_flight allows, loads of shared memory a little earlier, the others as
/// they come.
std::vector<Operation> scheduled(std::vector<Operation> stretch) {
  std::map<std::int32_t, double> written;  // when: by register
  std::vector<double> at(stretch.size());
  double fence = 0;
  // Which instruction reads a load first.
  std::map<std::int32_t, std::size_t> loaded;
  std::vector<std::size_t> first_read(stretch.size(), stretch.size());
  for (std::size_t i = 0; i < stretch.size(); ++i) {
    for (const std::int32_t r : stretch[i].from)
      if (const auto found = loaded.find(r); found != loaded.end())
        first_read[found->second] = std::min(first_read[found->second], i);
    for (const std::int32_t r : stretch[i].to) loaded.erase(r);
    if (stretch[i].kind == Kind::global_load)
      for (const std::int32_t r : stretch[i].to) loaded[r] = i;
  }
  std::vector<std::size_t> global;
  for (std::size_t i = 0; i < stretch.size(); ++i) {
    const Operation &o = stretch[i];
    const auto here = static_cast<double>(i);
    double when = here;
    if (o.kind == Kind::other || o.kind == Kind::free || o.kind == Kind::global_load || o.kind == Kind::copy)
      when = fence;
    if (o.kind == Kind::shared_load) when = std::max(fence, here - shared_ahead);
    if (o.kind == Kind::global_load) {
      const std::size_t read = global.size() >= loads_in_flight
                                   ? first_read[global[global.size() - loads_in_flight]]
                                   : stretch.size();
      if (read < stretch.size()) when = std::max(when, static_cast<double>(read));
      global.push_back(i);
    }
    for (const std::int32_t r : o.from)
      if (const auto found = written.find(r); found != written.end()) when = std::max(when, found->second);
    if (o.kind == Kind::barrier || o.kind == Kind::wait || o.kind == Kind::commit)
      when = fence = std::max(here, fence);
    at[i] = when;
    for (const std::int32_t r : o.to) written[r] = std::max(written[r], when);
  }
  std::vector<std::size_t> order(stretch.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return at[x] < at[y]; });
  std::vector<Operation> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(stretch[i]));
  return sorted;
}

std::uint32_t add(Program &program, const std::vector<Operation> &code) {
  std::vector<Program::Step> steps;
  std::vector<std::vector<std::int32_t>> from, to;
  for (const Operation &o : code) {
    steps.emplace_back();
    steps.back().kind = o.kind;
    steps.back().latency = o.latency;
    steps.back().groups = o.groups;
    steps.back().line = o.line;
    if (o.jumps) steps.back().stall = branch_cycles;
    from.push_back(o.from), to.push_back(o.to);
  }
  return program.add(std::move(steps), from, to);
}

}  // namespace

Program ptx_program(const ptx::Module &module, const simt::Path &path, const Architecture &a) {
  Program program;
  if (path.steps.empty()) return program;
  const int first = path.blocks.front().first_line;
  const ptx::Function *function = nullptr;
  for (const ptx::Function &f : module.functions)
    if (!f.instructions.empty() && f.instructions.front().text_line <= first &&
        first <= f.instructions.back().text_line)
      function = &f;
  if (function == nullptr) return program;
  program.result_count = function->registers.size();
  // The instructions of each basic block; those of other functions than the first are left out.
  std::vector<std::vector<Operation>> blocks(path.blocks.size());
  std::vector<char> ends(path.blocks.size());  // with a branch or a barrier that the machine code has as well
  for (std::size_t b = 0; b < path.blocks.size(); ++b) {
    const simt::PathBlock &block = path.blocks[b];
    auto at =
        std::lower_bound(function->instructions.begin(), function->instructions.end(), block.first_line,
                         [](const ptx::Instruction &i, std::int32_t line) { return i.text_line < line; });
    std::vector<const ptx::Instruction *> before;
    for (; at != function->instructions.end() && at->text_line <= block.last_line; ++at) {
      Operation o = operation_of(*at, a);
      const std::ptrdiff_t joined = joined_to(before, *at);
      before.push_back(&*at);
      ends[b] = at->opcode.starts_with("bra") && !is_guard(*function, *at);
      o.jumps = ends[b] != 0;
      if (joined >= 0) {
        auto &to = blocks[b][static_cast<std::size_t>(joined)].to;
        to.insert(to.end(), o.to.begin(), o.to.end());
        o = Operation{Kind::free, false, 0, 0, 0, {}, {}};
      }
      blocks[b].push_back(std::move(o));
    }
  }
  // Stretches of basic blocks, each up to such an end.
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::vector<Operation>> stretches;
  std::vector<std::uint32_t> path_of_stretches, together;
  constexpr std::size_t longest = 64;  // basic blocks
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    together.push_back(path.steps[i]);
    if (!ends[path.steps[i]] && i + 1 < path.steps.size() && together.size() < longest) continue;
    const auto [found, is_new] = known.try_emplace(together, static_cast<std::uint32_t>(stretches.size()));
    if (is_new) {
      stretches.emplace_back();
      for (const std::uint32_t b : together)
        stretches.back().insert(stretches.back().end(), blocks[b].begin(), blocks[b].end());
    }
    path_of_stretches.push_back(found->second);
    together.clear();
  }
  // Where fewer loads are in flight in a turn of a loop, ptxas is likely to put several turns into one.
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> made;
  const auto turns = [&](std::uint32_t stretch) -> std::size_t {
    std::size_t loads = 0;
    for (const Operation &o : stretches[stretch]) {
      if (o.kind == Kind::barrier) return 1;
      loads += o.kind == Kind::global_load ? 1 : 0;
    }
    return loads == 0 ? 1 : std::max<std::size_t>(1, loads_in_flight / loads);
  };
  for (std::size_t i = 0; i < path_of_stretches.size();) {
    const std::uint32_t stretch = path_of_stretches[i];
    std::size_t same = 1;
    const std::size_t most = turns(stretch);
    while (same < most && i + same < path_of_stretches.size() && path_of_stretches[i + same] == stretch)
      ++same;
    const auto [found, is_new] = made.try_emplace({stretch, same}, 0);
    if (is_new) {
      std::vector<Operation> code;
      for (std::size_t t = 0; t < same; ++t)
        code.insert(code.end(), stretches[stretch].begin(), stretches[stretch].end());
      found->second = add(program, scheduled(std::move(code)));
    }
    const Program::Stretch &added = program.stretches[found->second];
    if (added.first < added.last) program.path.push_back(found->second);
    i += same;
  }
  program.sum_up(a);
  return program;
}

int registers_of_ptx(const ptx::Module &module, const std::string &kernel) {
  constexpr int fewest = 16, most = 64;
  int words = 0;
  for (const ptx::Function &f : module.functions)
    if (f.name == kernel)
      for (const ptx::Register &r : f.registers)
        if (r.type != ptx::Type::pred) words += static_cast<int>((ptx::size_of(r.type) + 3) / 4);
  return words == 0 ? most : std::clamp(words, fewest, most);
}

}  // namespace warpgrade::predict
