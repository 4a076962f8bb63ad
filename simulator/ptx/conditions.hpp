// The conditions that a thread has passed when it accesses memory, or shuffles, in a line.
#pragma once

#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

struct Condition {
  SourceLine at;
  bool equal_passes = false;  ///< "<=" and not "<": a number passes that equals its bound
  bool operator==(const Condition &) const = default;
};

/// Those that decide whether a thread reaches any access to memory or shuffle in the line, in ascending lines,
/// each line once. Nothing for a function with more instructions than a student writes.
std::vector<Condition> conditions_before(const Module &, const Function &, const SourceLine &at);

}  // namespace warpgrade::ptx
