// The dotted name of an instruction, parsed. Internal to the decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "counters/counters.hpp"
#include "decode/handlers.hpp"
#include "decode/program.hpp"
#include "ptx/module.hpp"

namespace warpgrade::simt {

struct Opcode {
  explicit Opcode(std::string_view text);
  bool has(std::string_view part) const;
  ptx::Type type(std::size_t from_the_end = 0) const;  ///< of the types in the name, the last one first
  std::string_view text, base;
  std::vector<std::string_view> parts;  ///< after the base, including types
  std::vector<ptx::Type> types;
};

/// Of a fence, or of an access that names its scope or is atomic.
Scope scope_of(const Opcode &);
/// Whether the lanes of a warp work on fragments of matrices: mma, wmma, ldmatrix and the like.
bool is_tensor(const Opcode &);
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
/// The counter of arithmetic that each lane increments; null: none.
std::uint64_t LineCounters::*flop_counter(const Opcode &);

// Why an opcode is rejected, if there is a specific reason; null otherwise (refused.cpp).
const char *why_refused(const Opcode &);
const char *why_function_refused(std::string_view name);

/// Whether it is one of the video instructions: vadd, vset2, vmad and the like.
bool is_video(const Opcode &);
/// How cvt converts; false for what is not supported.
bool parse_conversion(const Opcode &, Conversion &);
/// A vector handler for frequent conversions; empty if only the general one will do.
std::string fast_conversion(const Opcode &, const Conversion &);

}  // namespace warpgrade::simt
