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

/// One function of an ELF image.
struct MachineCode {
  std::string function;                ///< mangled
  int sm = 0;                          ///< 90 for sm_90
  std::set<std::uint16_t> operations;  ///< of its instructions, each once; empty if the layout is unknown
  /// Accesses to local memory for each multiplication with an addition (FFMA), where most of these are: about
  /// what spilled registers cost in a loop. 0 if there are none.
  double local_per_fma = 0;
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
