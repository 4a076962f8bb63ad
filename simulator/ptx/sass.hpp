// Machine code as plain data: the operations in the functions of an ELF image. Nothing is disassembled: a
// rule only asks whether a kind of instruction occurs, and every instruction since Volta is 16 bytes long
// with its operation in the lowest bits. So no tool of the toolkit is needed, and a missing tool cannot make
// a check pass silently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/fatbin.hpp"

namespace warpgrade::ptx {

/// One instruction, as far as its timing needs it. ptxas writes into each one when the next may issue, and by
/// which of six counters a warp waits for a result that takes longer.
/// source: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018),
/// section 2.1
struct MachineInstruction {
  static constexpr std::uint8_t none = 7;    ///< no counter; as a guard, the predicate that is always true
  static constexpr std::uint8_t zero = 255;  ///< the register that is always 0
  std::uint16_t operation = 0;               ///< the lowest 9 bits
  std::uint8_t form = 0;                     ///< the 3 bits above: 1 if all operands are registers
  std::uint8_t guard = none;                 ///< number of a predicate
  std::uint8_t stall = 0;                    ///< cycles until the warp's next instruction may issue
  std::uint8_t result = none;                ///< counter that the result ends
  std::uint8_t operands = none;              ///< counter that ends when the operands have been read
  std::uint8_t waits = 0;                    ///< a bit for each counter that must be 0 before
  std::uint8_t reuse = 0;  ///< a bit for each of a, b, c that the next instruction finds again
  std::uint8_t a = zero, b = zero, c = zero;  ///< registers, if the operands are registers
  std::uint8_t bytes = 4;                     ///< of each lane, if this is an access to memory
  std::uint8_t groups = 0;     ///< of copies that may be on their way, if this waits for copies
  std::int32_t target = -1;    ///< of a jump or a call: the index of an instruction
  std::int32_t text_line = 0;  ///< line of the PTX text that it was made of; 0 if unknown
  bool operator==(const MachineInstruction &) const = default;
};

/// One function of an ELF image.
struct MachineCode {
  std::string function;                ///< mangled
  int sm = 0;                          ///< 90 for sm_90
  std::set<std::uint16_t> operations;  ///< of its instructions, each once; empty if the layout is unknown
  int registers = 0;                   ///< of each thread
  std::vector<MachineInstruction> instructions;  ///< in the order of their addresses; empty likewise
  bool operator==(const MachineCode &) const = default;
};

/// The functions of an ELF image for an NVIDIA GPU, in file order.
/// throws  FormatError: not such a file, truncated, or code that is not a whole number of instructions
std::vector<MachineCode> read_machine_code(const Image &);

/// Whether the operations of this architecture are known: sm_70 to sm_121, the range of ptxas 13.0.
bool instruction_layout_is_known(int sm);

/// "HMMA" for an operation that runs on the tensor cores of this architecture, else empty.
/// source: what ptxas 13.0 makes of mma, wgmma and tcgen05 instructions of every type
/// (tests/build/machine_code_test.cpp compiles one of each common kind again); the names are those of
/// NVIDIA's manual "CUDA Binary Utilities"
std::string_view tensor_core_operation(int sm, std::uint16_t operation);

}  // namespace warpgrade::ptx
