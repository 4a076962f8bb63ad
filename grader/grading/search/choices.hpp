// The branches of kernels, which ways were taken, and the constants and parameters that decide.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "counters/branches.hpp"
#include "ptx/module.hpp"

namespace warpgrade::search {

/// A conditional branch of a kernel, or of a function that it calls.
struct Branch {
  std::int32_t ptx_line = 0;
  ptx::SourceLine at;
  int to[2] = {0,
               0};  ///< the lines it leads to: where its guard holds, and otherwise; 0: the end of the kernel
  std::set<std::int64_t> constants = {};    ///< integers in what its guard is computed from
  std::set<std::uint32_t> parameters = {};  ///< likewise: offsets of the kernel's parameters
};

/// Those of the kernels, and of all functions that these call, in the order of the text. Without branches in headers
/// of the CUDA Toolkit.
std::vector<Branch> branches_of(const ptx::Module &, const std::set<std::string> &kernels);

/// Integers that the code of these kernels compares with, divides by and masks with.
std::set<std::int64_t> constants_of(const ptx::Module &, const std::set<std::string> &kernels);

/// Which ways of branches some run has taken.
class Coverage {
 public:
  /// Returns whether a way is taken for the first time.
  bool add(std::span<const simt::BranchCount>);
  bool taken(const Branch &, bool guard_holds) const;
  bool both(const Branch &b) const { return taken(b, true) && taken(b, false); }
  bool reached(const Branch &b) const { return taken(b, true) || taken(b, false); }

 private:
  struct Ways {
    bool held = false, failed = false;
  };
  std::map<std::int32_t, Ways> ways_;
};

/// The branches of one source line: the compiler may have made several.
struct LineCoverage {
  ptx::SourceLine at;
  int ways = 0, taken = 0;
  bool reached = true;
  std::set<int> never_to = {};  ///< lines that one of its branches never leads to; 0: the end of the kernel
  bool operator==(const LineCoverage &) const = default;
};
/// By file and line.
std::vector<LineCoverage> by_line(const std::vector<Branch> &, const Coverage &);

}  // namespace warpgrade::search
