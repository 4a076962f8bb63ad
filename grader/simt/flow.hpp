// The flow of control within a function, and what its instructions read and write. Internal to the decoder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simt/opcode.hpp"

namespace warpgrade::simt {

/// Beyond, analyses give up: a kernel that a compiler made stays far below.
constexpr std::size_t most_flow_bits = std::size_t{1} << 22;  ///< blocks times registers
constexpr int most_flow_rounds = 64;

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

/// Whether the first operand is where the result goes.
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

/// Calls visit(register) for every register that an instruction reads. One that is written under a guard
/// counts: it keeps its value where the guard does not hold.
template <class Visit>
void for_sources(const ptx::Instruction &instruction, const Opcode &o, const Visit &visit) {
  if (instruction.guard >= 0) visit(instruction.guard);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const ptx::Operand &operand = instruction.operands[i];
    const bool result =
        i == 0 && has_result(o) &&
        (operand.kind == ptx::Operand::Kind::reg || operand.kind == ptx::Operand::Kind::vector);
    if (!result || instruction.guard >= 0) for_registers(operand, visit);
  }
}

}  // namespace warpgrade::simt
