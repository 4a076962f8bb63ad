// The flow of control within a function, and what its instructions read and write. Internal to the decoder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decode/opcode.hpp"

namespace warpgrade::simt {

/// Beyond this, analyses give up: kernels from a compiler stay far below.
constexpr std::size_t most_flow_bits = std::size_t{1} << 22;  ///< blocks times registers
constexpr int most_flow_rounds = 64;

/// Some of a function's registers, 64 to a word: analyses join and compare such sets for every block.
class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers, bool all = false)
      : words_((registers + 63) / 64, all ? ~std::uint64_t{0} : 0) {
    if (all && registers % 64 != 0) words_.back() >>= 64 - registers % 64;
  }
  bool has(std::size_t reg) const { return (words_[reg / 64] >> reg % 64 & 1) != 0; }
  void add(std::int32_t reg) { words_[static_cast<std::size_t>(reg) / 64] |= bit(reg); }
  void remove(std::int32_t reg) { words_[static_cast<std::size_t>(reg) / 64] &= ~bit(reg); }
  void add(const RegisterSet &others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= others.words_[w];
  }
  /// Removes what `others` lacks; returns whether anything was removed.
  bool keep(const RegisterSet &others) {
    std::uint64_t gone = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      gone |= words_[w] & ~others.words_[w];
      words_[w] &= others.words_[w];
    }
    return gone != 0;
  }
  template <class Visit>
  void for_each(const Visit &visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
  bool operator==(const RegisterSet &) const = default;

 private:
  static std::uint64_t bit(std::int32_t reg) { return std::uint64_t{1} << (static_cast<unsigned>(reg) & 63); }
  std::vector<std::uint64_t> words_;
};

struct Flow {
  /// leads: which instructions begin a block, as Decoder::find_leaders says
  Flow(const ptx::Function &, const std::vector<bool> &leads);
  std::size_t blocks() const { return starts.size(); }
  std::size_t end_of(std::size_t block) const { return block + 1 < starts.size() ? starts[block + 1] : end; }

  std::vector<std::size_t> starts;             ///< first instruction of each block
  std::vector<std::size_t> block_of;           ///< of each instruction; of the end: blocks()
  std::vector<std::vector<std::size_t>> next;  ///< blocks that may follow; blocks() is the end
  std::size_t end = 0;                         ///< number of instructions
};

/// Whether the first operand is the destination.
bool has_result(const Opcode &);

/// Calls visit(register) for every register that an instruction writes.
template <class Visit>
void for_results(const ptx::Instruction &instruction, const Opcode &o, const Visit &visit) {
  if (instruction.operands.empty() || !has_result(o)) return;
  const ptx::Operand &to = instruction.operands[0];
  if (to.kind == ptx::Operand::Kind::reg) {
    if (to.reg >= 0) visit(to.reg);
    if (to.second >= 0) visit(to.second);
  }
  if (to.kind == ptx::Operand::Kind::vector)
    for (const ptx::Operand &element : to.elements)
      if (element.reg >= 0) visit(element.reg);
}

/// Calls visit(register) for every register in an operand.
template <class Visit>
void for_registers(const ptx::Operand &operand, const Visit &visit) {
  if (operand.reg >= 0) visit(operand.reg);
  if (operand.second >= 0) visit(operand.second);
  for (const ptx::Operand &element : operand.elements) for_registers(element, visit);
}

/// Calls visit(register) for every register that an instruction reads. A register written under a guard
/// counts: it keeps its value if the guard is false.
template <class Visit>
void for_sources(const ptx::Instruction &instruction, const Opcode &o, const Visit &visit) {
  if (instruction.guard >= 0) visit(instruction.guard);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const ptx::Operand &operand = instruction.operands[i];
    const bool result =
        i == 0 && has_result(o) &&
        (operand.kind == ptx::Operand::Kind::reg || operand.kind == ptx::Operand::Kind::vector);
    // A product of a warpgroup adds to its previous results.
    if (!result || instruction.guard >= 0 || o.base == "wgmma") for_registers(operand, visit);
  }
}

}  // namespace warpgrade::simt
