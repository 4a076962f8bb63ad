// The fragment whose elements a register holds. Which lane holds which element of a wmma fragment is not specified:
// elements that a kernel moves from one kind of fragment to another are in the right places only by chance, on some
// GPUs. Found from the text of a function, not by running it. Internal to simt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::simt {

class FragmentOrigins {
 public:
  explicit FragmentOrigins(const ptx::Function &);

  /// What is wrong with an operand of a product or a store of a fragment: some register holds only elements of
  /// another kind of fragment. One sentence; nothing if all is well or the instruction has no such operand.
  ///
  /// Accumulators of one shape count as one kind, whatever their type. Values that have passed through memory or
  /// another lane belong to no fragment.
  std::optional<std::string> why_misplaced(const ptx::Instruction &) const;

 private:
  std::vector<std::string> kinds_of(std::int32_t reg) const;

  const ptx::Function &function_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< instructions, by register
  bool has_wmma_ = false;
};

}  // namespace warpgrade::simt
