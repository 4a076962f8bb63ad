// The places of a kernel's values: rows of the warp for registers, uniform rows for values that all lanes
// share. Internal to the decoder.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decode/opcode.hpp"

namespace warpgrade::simt {

/// An instruction that this simulator cannot run; it matters only if it is reached.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Allocates rows of the warp. throws Unsupported if there are too many
class WarpRowSpace {
 public:
  Ref add(Width);
  std::uint32_t bytes() const { return bytes_; }

 private:
  std::uint32_t bytes_ = 0, predicate_ = 0, predicates_left_ = 0;
};

/// Allocates uniform rows, equal ones once. throws Unsupported if there are too many
class UniformRowSpace {
 public:
  explicit UniformRowSpace(std::vector<UniformRow> &rows) : rows_(rows) {}
  Ref constant(std::uint64_t bits, bool wide);
  /// key: equal for equal rows that are not constants
  Ref named(const std::string &key, UniformRow);

 private:
  Ref add(UniformRow);
  std::vector<UniformRow> &rows_;
  std::map<std::pair<std::uint64_t, bool>, Ref> constants_;
  std::map<std::string, Ref> named_;
};

struct RegisterRows {
  std::vector<Ref> rows;           ///< by register
  std::vector<std::size_t> unset;  ///< registers that may be read before they are written
};

/// The row of each register of a function. leads: the instructions at which a basic block begins. share:
/// registers that are never live at the same time share a row. unused: the row of registers that are never
/// read. throws Unsupported
RegisterRows lay_out_registers(const ptx::Function &, const std::vector<bool> &leads, bool share, Ref unused,
                               WarpRowSpace &);

/// Offsets of variables, by "function\nname", or "\nname" for those of the module.
using Offsets = std::map<std::string, std::uint32_t>;

struct SharedLayout {
  Offsets offsets;
  std::vector<SharedVariable> variables;  ///< ascending; dynamic memory last
  std::uint32_t end = 0;                  ///< of static memory: where dynamic memory begins
  std::uint32_t bytes = 0;                ///< of static memory, without red zones
};

/// Shared memory of a kernel that consists of these functions, with red zones between variables. throws
/// Unsupported
SharedLayout lay_out_shared(const ptx::Module &, const std::vector<const ptx::Function *> &);

}  // namespace warpgrade::simt
