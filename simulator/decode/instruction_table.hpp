// The table of instructions: one row for each name before the first dot. It says which function of the decoder
// translates an instruction, what it counts as, how its handler is called, and how undefined values pass through it.
// To add an instruction, add its row here and the function that computes it (machine/instructions/rare.cpp, or
// machine/hot/ if loops depend on it). A further type of an instruction that is here needs the function only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "counters/counters.hpp"
#include "decode/passes.hpp"

namespace warpgrade::simt {

/// Instructions that one function of the decoder translates, and that its analyses treat alike.
enum class Family : std::uint8_t {
  unknown,
  arithmetic,  ///< a handler computes a result from values
  video,       ///< arithmetic on parts of registers
  move,
  convert,
  compare,      ///< setp
  set,          ///< a comparison whose result is a number
  sign_choice,  ///< slct
  address,      ///< of one space as an address of another
  rank,         ///< addresses in the memory of other blocks of the cluster
  policy,       ///< of caches
  load,
  store,
  atomic,
  reduction,  ///< an atomic without a result
  copy,       ///< cp: asynchronous copies
  mbarrier,
  texture,
  fence,
  ignored,    ///< changes nothing that is simulated
  registers,  ///< how many registers a warp may use
  barrier,
  warp,    ///< between the lanes of a warp
  tensor,  ///< fragments of matrices
  jump,
  jump_by_table,
  leave,
  stop,
  call,
};

/// How the name of the handler follows from that of the instruction.
enum class Naming : std::uint8_t {
  none,      ///< the decoder chooses the handler
  bits,      ///< the base and the width: "and.b32"
  integer,   ///< the base, and sign and width where they matter: "div.s32"
  floating,  ///< the base, and what changes the result: "fma.rz.ftz.f32"
  number,    ///< integer or floating, by the type
  whole,     ///< the instruction itself
  types,     ///< the base and both types: "dp4a.s32.u32"
};

/// What each lane adds to the counters of arithmetic, for f32 and f64.
enum class Flops : std::uint8_t { none, sum, product, both };

/// The class of an instruction that follows from its type.
constexpr auto by_type = static_cast<InstructionClass>(instruction_classes);

struct InstructionRow {
  std::string_view base;
  Family family = Family::unknown;
  InstructionClass kind = by_type;
  Naming naming = Naming::none;
  Passes passes = Passes::compute;  ///< for the types for which that is exact; see passes_through()
  Flops flops = Flops::none;
  const char *refused = nullptr;  ///< why no form of it is simulated
};

/// Whether the first operand of an instruction is its destination, if it is a register or several.
bool has_result(Family);

std::span<const InstructionRow> all_instructions();
/// The row of a name; one of the family `unknown` if there is none.
const InstructionRow &row_of(std::string_view base);

}  // namespace warpgrade::simt
