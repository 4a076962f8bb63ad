// The way of a warp through machine code. ptxas moves, joins, repeats and drops instructions, but says of
// each one which line of the PTX it was made of. The simulator knows in which order a warp executes the lines
// of the PTX. So at each branch of the machine code, the side whose lines come next in the PTX is the one
// that is taken.
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "predict/program.hpp"

namespace warpgrade::predict {

namespace {

using Instruction = ptx::MachineInstruction;

/// What an operation does, and how long its result takes where a counter tells when it is there.
struct Meaning {
  std::uint16_t number;
  Kind kind;
  Pipe pipe;
  float latency;
};

/// Those that do not only take a place of the scheduler.
/// source of the numbers: what ptxas 13.0 makes of PTX, as in ptx/sass.cpp; of the pipes: CUDA C++
/// Programming Guide 13.0, "Arithmetic Instructions"; of the latencies: measured on an H200, or assumed
/// between those
constexpr float special_latency = 17, converted = 20, constant = 30, from_system = 25, product = 32;
constexpr Meaning meanings[] = {
    {0x020, Kind::other, Pipe::fma, 0},                    // FMUL
    {0x021, Kind::other, Pipe::fma, 0},                    // FADD
    {0x023, Kind::other, Pipe::fma, 0},                    // FFMA
    {0x030, Kind::other, Pipe::fma, 0},                    // HADD2
    {0x031, Kind::other, Pipe::fma, 0},                    // HFMA2
    {0x032, Kind::other, Pipe::fma, 0},                    // HMUL2
    {0x024, Kind::other, Pipe::fma_heavy, 0},              // IMAD
    {0x025, Kind::other, Pipe::fma_heavy, 0},              // IMAD.WIDE
    {0x027, Kind::other, Pipe::fma_heavy, 0},              // IMAD.HI
    {0x002, Kind::other, Pipe::alu, 0},                    // MOV
    {0x007, Kind::other, Pipe::alu, 0},                    // SEL
    {0x008, Kind::other, Pipe::alu, 0},                    // FSEL
    {0x009, Kind::other, Pipe::alu, 0},                    // FMNMX
    {0x00b, Kind::other, Pipe::alu, 0},                    // FSETP
    {0x00c, Kind::other, Pipe::alu, 0},                    // ISETP
    {0x010, Kind::other, Pipe::alu, 0},                    // IADD3
    {0x011, Kind::other, Pipe::alu, 0},                    // LEA
    {0x012, Kind::other, Pipe::alu, 0},                    // LOP3
    {0x013, Kind::other, Pipe::alu, 0},                    // IABS
    {0x016, Kind::other, Pipe::alu, 0},                    // PRMT
    {0x017, Kind::other, Pipe::alu, 0},                    // IMNMX
    {0x019, Kind::other, Pipe::alu, 0},                    // SHF
    {0x01c, Kind::other, Pipe::alu, 0},                    // PLOP3
    {0x045, Kind::other, Pipe::alu, 0},                    // I2FP
    {0x028, Kind::other, Pipe::fp64, 8},                   // DMUL
    {0x029, Kind::other, Pipe::fp64, 8},                   // DADD
    {0x02a, Kind::other, Pipe::fp64, 8},                   // DSETP
    {0x02b, Kind::other, Pipe::fp64, 8},                   // DFMA
    {0x100, Kind::other, Pipe::special, converted},        // FLO
    {0x101, Kind::other, Pipe::special, converted},        // BREV
    {0x104, Kind::other, Pipe::special, converted},        // F2F
    {0x105, Kind::other, Pipe::special, converted},        // F2I
    {0x106, Kind::other, Pipe::special, converted},        // I2F
    {0x107, Kind::other, Pipe::special, converted},        // FRND
    {0x108, Kind::other, Pipe::special, special_latency},  // MUFU
    {0x109, Kind::other, Pipe::special, converted},        // POPC
    {0x110, Kind::other, Pipe::special, converted},        // F2F.F64
    {0x111, Kind::other, Pipe::special, converted},        // F2I.F64
    {0x112, Kind::other, Pipe::special, converted},        // I2F.F64
    {0x119, Kind::other, Pipe::none, from_system},         // S2R
    {0x182, Kind::other, Pipe::none, constant},            // LDC
    {0x037, Kind::compute, Pipe::none, product},           // IMMA
    {0x03c, Kind::compute, Pipe::none, product},           // HMMA
    {0x03d, Kind::compute, Pipe::none, product},           // BMMA
    {0x03f, Kind::compute, Pipe::none, product},           // DMMA
    {0x07a, Kind::compute, Pipe::none, product},           // QMMA
    {0x03b, Kind::shared_load, Pipe::none, 0},             // LDSM
    {0x184, Kind::shared_load, Pipe::none, 0},             // LDS
    {0x18c, Kind::shared_atomic, Pipe::none, 0},           // ATOMS
    {0x188, Kind::shared_store, Pipe::none, 0},            // STS
    {0x189, Kind::shuffle, Pipe::none, 0},                 // SHFL
    {0x183, Kind::local, Pipe::none, 0},                   // LDL
    {0x187, Kind::local, Pipe::none, 0},                   // STL
    {0x180, Kind::global_load, Pipe::none, 0},             // LD
    {0x181, Kind::global_load, Pipe::none, 0},             // LDG
    {0x185, Kind::global_store, Pipe::none, 0},            // ST
    {0x186, Kind::global_store, Pipe::none, 0},            // STG
    {0x18a, Kind::global_atomic, Pipe::none, 0},           // ATOM
    {0x18e, Kind::global_atomic, Pipe::none, 0},           // RED
    {0x1a8, Kind::global_atomic, Pipe::none, 0},           // ATOMG
    {0x1ae, Kind::copy, Pipe::none, 0},                    // LDGSTS
    {0x1af, Kind::commit, Pipe::none, 0},                  // LDGDEPBAR
    {0x11a, Kind::wait, Pipe::none, 0},                    // DEPBAR
    {0x11d, Kind::barrier, Pipe::none, 0},                 // BAR
};
constexpr std::uint16_t op_jump = 0x147, op_jump_by_register = 0x149, op_call = 0x144, op_exit = 0x14d,
                        op_return = 0x150;
constexpr std::uint8_t jump_form =
    4;  // other forms look at uniform predicates, or whether the warp has diverged

const Meaning *meaning_of(const Instruction &i) {
  static const std::map<std::uint16_t, const Meaning *> by_number = [] {
    std::map<std::uint16_t, const Meaning *> all;
    for (const Meaning &o : meanings) all[o.number] = &o;
    return all;
  }();
  const auto found = by_number.find(i.operation);
  return found == by_number.end() ? nullptr : found->second;
}

/// More cycles until the next instruction, where the FMA pipe reads three registers: a scheduler reads two in
/// a cycle, and of three in the same bank (all even, or all odd) only one. What the instruction before kept
/// for this one is not read again. Nothing of this is documented. It follows from two kernels for which
/// NVIDIA's profiler says that they wait for the dispatch on an H200, and from three that do not.
float bank_conflict(const Instruction &before, const Instruction &i) {
  const Meaning *meaning = meaning_of(i);
  if (i.form != 1 || meaning == nullptr || meaning->pipe != Pipe::fma) return 0;
  const std::array<std::uint8_t, 3> now = {i.a, i.b, i.c}, kept = {before.a, before.b, before.c};
  std::array<int, 2> reads{};
  for (std::size_t k = 0; k < now.size(); ++k) {
    const bool again = (before.reuse >> k & 1) != 0 && kept[k] == now[k];
    const bool twice = std::find(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(k), now[k]) !=
                       now.begin() + static_cast<std::ptrdiff_t>(k);
    if (now[k] != Instruction::zero && !again && !twice) ++reads[now[k] % 2];
  }
  const int all = reads[0] + reads[1];
  return all < 3 ? 0 : all == std::max(reads[0], reads[1]) ? 2 : 1;
}

/// Cycles of the scheduler for an access to memory, and for a product of 64 bits; fitted. On an H100, a loop of such
/// products takes four to six cycles more for each of them than its other instructions do.
constexpr float memory_issue = 1.5, wide_product_issue = 3;
constexpr std::uint16_t wide_product = 0x025;

constexpr float shared_atomic_latency = 42;  ///< cycles until the old value is there; measured on an H200

Program::Step step_of(const Instruction &i, const Architecture &a) {
  Program::Step s;
  s.stall = std::max<float>(1, i.stall);
  s.wide = std::max(1.0F, static_cast<float>(i.bytes) / 4);
  if (const Meaning *o = meaning_of(i)) {
    s.kind = o->kind, s.pipe = o->pipe, s.latency = o->latency;
    if (o->kind == Kind::wait) s.groups = i.groups;
  }
  if (s.kind == Kind::shared_load || s.kind == Kind::shuffle || s.kind == Kind::shared_store ||
      s.kind == Kind::global_load)
    s.issue = memory_issue;
  if (i.operation == wide_product) s.issue = wide_product_issue;
  if (s.kind == Kind::shared_load || s.kind == Kind::shuffle)
    s.latency = static_cast<float>(a.shared_latency);
  if (s.kind == Kind::shared_atomic) s.latency = shared_atomic_latency;
  return s;
}

/// Whether an instruction was made of exactly one line that does the same, so that both occur equally often.
bool is_mark(const Instruction &i, std::string_view ptx) {
  const Meaning *o = meaning_of(i);
  if (o == nullptr) return false;
  const auto starts = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return ptx.starts_with(w); });
  };
  const bool arithmetic = starts({"fma", "mul", "add", "sub"});
  switch (o->kind) {
    case Kind::shared_load:
    case Kind::global_load:
      return starts({"ld.", "ldmatrix"});
    case Kind::shared_store:
    case Kind::global_store:
      return starts({"st."});
    case Kind::shared_atomic:
    case Kind::global_atomic:
      return starts({"atom", "red"});
    case Kind::copy:
      return starts({"cp.async.c"}) && !starts({"cp.async.commit"});
    case Kind::barrier:
      return starts({"bar"});
    case Kind::shuffle:
      return starts({"shfl"});
    default:
      return (o->pipe == Pipe::fma && arithmetic && ptx.ends_with(".f32")) ||
             (o->pipe == Pipe::fp64 && arithmetic && ptx.ends_with(".f64"));
  }
}

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// The lines of the PTX in the order in which a warp executes them.
class Trace {
 public:
  explicit Trace(const simt::Path &path) : at_(path.blocks.size()) {
    for (std::size_t i = 0; i < path.steps.size(); ++i) at_[path.steps[i]].push_back(i);
    for (std::size_t b = 0; b < path.blocks.size(); ++b)
      for (std::int32_t line = path.blocks[b].first_line; line <= path.blocks[b].last_line; ++line)
        block_of_.emplace(line, b);
    for (const std::vector<std::size_t> &all : at_) {
      std::size_t least = never;
      for (std::size_t i = 1; i < all.size(); ++i) least = std::min(least, all[i] - all[i - 1]);
      gaps_.push_back(least);
    }
  }
  /// The step in which the line is executed for the n-th time, counted from 0.
  std::size_t position(std::size_t block, std::size_t n) const {
    return n < at_[block].size() ? at_[block][n] : never;
  }
  std::size_t times(std::size_t block) const { return at_[block].size(); }
  std::size_t least_gap(std::size_t block) const { return gaps_[block]; }
  /// The basic block of a line, if the warp comes to it.
  std::size_t block_of(std::int32_t line) const {
    const auto found = block_of_.find(line);
    return found == block_of_.end() ? never : found->second;
  }

 private:
  std::vector<std::vector<std::size_t>> at_;  ///< by basic block of the PTX
  std::vector<std::size_t> gaps_;
  std::map<std::int32_t, std::size_t> block_of_;
};

/// An instruction that marks a line, and how often that line was passed.
struct Mark {
  std::size_t block = 0;  ///< of the PTX
  std::size_t passed = 0;
};

/// Machine code up to a jump or a place where one ends.
struct CodeBlock {
  std::uint32_t first = 0, last = 0;  ///< instructions
  std::int32_t target = -1;           ///< where its jump goes: a block
  bool jumps = false, conditional = false, ends = false, calls = false, comes_back = false;
  std::vector<std::pair<std::size_t, std::size_t>> marks;  ///< indices of marks, and how many in here
  std::size_t copies = 1;  ///< the greatest of these numbers: into how many turns ptxas unrolled a loop
};

class Walk {
 public:
  Walk(const std::vector<Instruction> &code, const ptx::Function &function, const simt::Path &path)
      : trace_(path) {
    std::map<std::int32_t, std::string_view> opcodes;
    for (const ptx::Instruction &i : function.instructions) opcodes[i.text_line] = i.opcode;
    std::map<std::int32_t, std::size_t> mark_of;
    divide(code);
    for (CodeBlock &b : blocks_) {
      std::map<std::size_t, std::size_t> here;
      for (std::uint32_t i = b.first; i < b.last; ++i) {
        const auto opcode = opcodes.find(code[i].text_line);
        const std::size_t block = trace_.block_of(code[i].text_line);
        if (opcode == opcodes.end() || block == never || !is_mark(code[i], opcode->second)) continue;
        const auto [found, is_new] = mark_of.try_emplace(code[i].text_line, marks_.size());
        if (is_new) marks_.push_back({block, 0});
        ++here[found->second];
      }
      b.marks.assign(here.begin(), here.end());
      for (const auto &[mark, copies] : b.marks) b.copies = std::max(b.copies, copies);
    }
  }

  const std::vector<CodeBlock> &blocks() const { return blocks_; }

  /// The blocks in the order in which they are executed; empty if that cannot be told.
  std::vector<std::uint32_t> run() {
    constexpr std::size_t most = 1 << 20, most_without_marks = 256;
    std::vector<std::uint32_t> way;
    std::vector<std::size_t> calls;
    std::size_t at = 0, idle = 0;
    while (at < blocks_.size()) {
      const CodeBlock &b = blocks_[at];
      way.push_back(static_cast<std::uint32_t>(at));
      idle = b.marks.empty() ? idle + 1 : 0;
      if (way.size() > most || idle > most_without_marks) return {};
      pass(b);
      if (b.calls && b.target >= 0 && calls.size() < 8) {
        calls.push_back(at + 1);
        at = static_cast<std::size_t>(b.target);
      } else if (b.comes_back) {
        if (calls.empty()) break;
        at = calls.back();
        calls.pop_back();
      } else if (b.ends) {
        if (!b.conditional || next(at + 1).position == never) break;
        ++at;
      } else if (b.jumps && (!b.conditional || jumps(at))) {
        if (b.target < 0) return {};
        at = static_cast<std::size_t>(b.target);
      } else {
        ++at;
      }
    }
    return is_whole() ? way : std::vector<std::uint32_t>();
  }

 private:
  void divide(const std::vector<Instruction> &code) {
    std::vector<char> starts(code.size() + 1);
    starts[0] = 1;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::uint16_t o = code[i].operation;
      if (o == op_jump || o == op_call || o == op_exit || o == op_return || o == op_jump_by_register)
        starts[i + 1] = 1;
      if (code[i].target >= 0) starts[static_cast<std::size_t>(code[i].target)] = 1;
    }
    std::vector<std::int32_t> block_at(code.size(), -1);
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (starts[i] != 0) blocks_.emplace_back().first = static_cast<std::uint32_t>(i);
      blocks_.back().last = static_cast<std::uint32_t>(i + 1);
      block_at[i] = static_cast<std::int32_t>(blocks_.size() - 1);
    }
    for (CodeBlock &b : blocks_) {
      const Instruction &last = code[b.last - 1];
      b.jumps = last.operation == op_jump || last.operation == op_jump_by_register;
      b.conditional = last.guard != Instruction::none || (b.jumps && last.form != jump_form);
      b.ends = last.operation == op_exit;
      b.calls = last.operation == op_call;
      b.comes_back = last.operation == op_return;
      if (last.target >= 0) b.target = block_at[static_cast<std::size_t>(last.target)];
    }
  }

  struct Next {
    std::size_t position = never;  ///< of the first line that comes
    std::size_t block = never;     ///< in which it is
    std::size_t distance = 0;      ///< blocks until there
  };

  std::size_t position(const Mark &m, std::size_t later = 0) const {
    return trace_.position(m.block, m.passed + later);
  }

  /// What comes first from here on.
  Next next(std::size_t from) {
    Next best;
    ++look_;
    seen_.resize(blocks_.size());
    std::vector<std::pair<std::size_t, std::size_t>> open = {{from, 0}};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto [at, distance] = open[k];
      if (at >= blocks_.size() || seen_[at] == look_) continue;
      seen_[at] = look_;
      const CodeBlock &b = blocks_[at];
      for (const auto &[mark, copies] : b.marks) {
        if (copies < b.copies) continue;  // ptxas dropped some of them
        catch_up(marks_[mark]);
        const std::size_t p = position(marks_[mark]);
        if (p < best.position) best = {p, at, distance};
      }
      if (!b.marks.empty()) continue;
      if (b.jumps && b.target >= 0) open.emplace_back(static_cast<std::size_t>(b.target), distance + 1);
      const bool goes_on = b.conditional || !(b.jumps || b.ends || b.comes_back);
      if (goes_on) open.emplace_back(at + 1, distance + 1);
    }
    return best;
  }

  /// What was passed over by other lanes of the warp is not waited for.
  void catch_up(Mark &m) const {
    constexpr std::size_t slack = 16;
    while (position(m) != never && position(m) + slack < now_) ++m.passed;
  }

  void pass(const CodeBlock &b) {
    std::size_t first = never;
    for (const auto &[mark, copies] : b.marks) {
      if (copies == b.copies) first = std::min(first, position(marks_[mark]));
      marks_[mark].passed += copies;
      passed_ += copies;
    }
    if (first != never) now_ = std::max(now_, first);
  }

  /// Whether as many turns of a loop are left as this block has copies of.
  bool fits(const CodeBlock &b) const {
    if (b.copies == 1) return true;
    const auto most = std::find_if(b.marks.begin(), b.marks.end(),
                                   [&](const auto &mark) { return mark.second == b.copies; });
    const Mark &mark = marks_[most->first];
    const std::size_t last = position(mark, b.copies - 1);
    return last != never && 2 * (last - position(mark)) <= 3 * (b.copies - 1) * trace_.least_gap(mark.block);
  }

  bool jumps(std::size_t at) {
    const CodeBlock &b = blocks_[at];
    if (b.target < 0) return true;
    const Next there = next(static_cast<std::size_t>(b.target)), here = next(at + 1);
    if (there.position != here.position) return there.position < here.position;
    if (there.position == never) return static_cast<std::size_t>(b.target) > at;
    const CodeBlock &to = blocks_[there.block], &on = blocks_[here.block];
    if (to.copies != on.copies) {
      const bool fits_to = fits(to), fits_on = fits(on);
      if (fits_to != fits_on) return fits_to;
      return (to.copies > on.copies) == fits_to;
    }
    return there.distance < here.distance;
  }

  /// Whether nearly all of what the PTX executes was passed, and nothing much else.
  bool is_whole() const {
    double expected = 0, met = 0;
    for (const Mark &m : marks_) {
      const auto times = static_cast<double>(trace_.times(m.block));
      expected += times;
      met += std::min(times, static_cast<double>(m.passed));
    }
    return expected > 0 && met > 0.8 * expected && static_cast<double>(passed_) < 1.25 * expected;
  }

  Trace trace_;
  std::vector<Mark> marks_;
  std::vector<CodeBlock> blocks_;
  std::vector<unsigned> seen_;
  unsigned look_ = 0;
  std::size_t now_ = 0, passed_ = 0;
};

}  // namespace

Program machine_program(const ptx::MachineCode &code, const ptx::Module &module, const simt::Path &path,
                        const Architecture &a) {
  Program program;
  if (path.steps.empty() || code.instructions.empty()) return program;
  const auto function = std::find_if(module.functions.begin(), module.functions.end(),
                                     [&](const ptx::Function &f) { return f.name == code.function; });
  if (function == module.functions.end()) return program;
  Walk walk(code.instructions, *function, path);
  program.path = walk.run();
  if (program.path.empty()) return program;
  constexpr std::size_t counters = 6;
  for (const CodeBlock &b : walk.blocks()) {
    std::vector<Program::Step> steps;
    std::vector<std::vector<std::int32_t>> from, to;
    for (std::uint32_t k = b.first; k < b.last; ++k) {
      const Instruction &i = code.instructions[k];
      steps.push_back(step_of(i, a));
      steps.back().line = i.text_line;
      if (k > b.first) steps.back().issue += bank_conflict(code.instructions[k - 1], i);
      from.emplace_back(), to.emplace_back();
      for (std::size_t c = 0; c < counters; ++c)
        if ((i.waits >> c & 1) != 0) from.back().push_back(static_cast<std::int32_t>(c));
      if (i.result < counters) to.back().push_back(i.result);
      if (i.operands < counters) steps.back().operands_read = i.operands;
    }
    program.add(std::move(steps), from, to);
  }
  program.result_count = counters;
  program.machine_code = true;
  program.sum_up(a);
  return program;
}

}  // namespace warpgrade::predict
