// The dotted name of an instruction, parsed. Internal to the decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "counters/counters.hpp"
#include "decode/handlers.hpp"
#include "decode/instruction_table.hpp"
#include "decode/program.hpp"
#include "ptx/module.hpp"

namespace warpgrade::simt {

struct Opcode {
  explicit Opcode(std::string_view text);
  bool has(std::string_view part) const;
  bool is(Family family) const { return row->family == family; }
  template <class... Families>
  bool is(Family first, Families... others) const {
    return is(first) || (is(others) || ...);
  }
  ptx::Type type(std::size_t from_the_end = 0) const;  ///< of the types in the name, the last one first
  std::string_view text, base;
  const InstructionRow *row;
  std::vector<std::string_view> parts;  ///< after the base, including types
  std::vector<ptx::Type> types;
};

/// Of a fence, or of an access that names its scope or is atomic.
Scope scope_of(const Opcode &);
/// Operations of a product on tensor cores, of all lanes together; 0 for other instructions.
std::uint32_t tensor_flops(const Opcode &);
/// What a warp multiplies by mma.sync or wmma.mma. Throws Unsupported for unsupported forms.
struct ProductForm {
  tensor::WarpProduct product;
  bool swapped = false;  ///< 8 x 32: to the machine, the transposed product
};
ProductForm product_form(const Opcode &);
/// Types and sizes of a wgmma, and whether it saturates; throws Unsupported likewise.
GroupProduct group_product(const Opcode &);
/// throws Unsupported for the shared memory of other blocks
ptx::Space space_of(const Opcode &);
bool is_float(ptx::Type);
bool is_signed(ptx::Type);
std::string_view type_name(ptx::Type);

/// The name of the handler that computes this opcode; empty if there can be none.
std::string canonical_name(const Opcode &);
/// What it counts as.
InstructionClass class_of(const Opcode &);
/// How undefined values pass through the operation of this name.
Passes passes_through(const Opcode &);
/// Whether it asks for an order of accesses: volatile, relaxed, acquire, release.
bool is_strong(const Opcode &);
/// Whether it waits for other threads of the block: bar, barrier, but not that of a warp.
bool is_barrier(const Opcode &);
/// Whether it waits for the lanes of its warp.
bool is_sync(const Opcode &);
/// Whether control may not continue with the next instruction: branches, returns and exits, but not calls.
bool leaves(const Opcode &);
/// The counter of arithmetic that each lane increments; null: none.
std::uint64_t LineCounters::*flop_counter(const Opcode &);

// Why an opcode is refused, if there is a specific reason; null otherwise (refused.cpp).
const char *why_refused(const Opcode &);
const char *why_function_refused(std::string_view name);

/// How cvt converts; false for what is not supported.
bool parse_conversion(const Opcode &, Conversion &);
/// A vector handler for frequent conversions; empty if only the general one will do.
std::string fast_conversion(const Opcode &, const Conversion &);

}  // namespace warpgrade::simt
