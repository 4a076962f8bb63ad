// Whether a launcher does the same when it is called a second time.
//
// Compares the operations of two calls in one process, one after the other, with the same arguments. Memory
// that both calls allocate counts as the same memory. A launcher that keeps memory does something else in its
// second call; only a run shows whether that is right.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "plan/plan.hpp"

namespace warpgrade::plan {

struct CallsDiffer {
  std::size_t operation = 0;  ///< the first of both calls' operations that the other call lacks
  std::string words;          ///< "the first call does, and the second does not: launch k <<<...>>> with ..."
  bool operator==(const CallsDiffer &) const = default;
};

/// The first call's operations are [0, first_call), the second call's the others. `kernels`: for the words.
std::optional<CallsDiffer> difference_of_calls(const LaunchPlan &, std::size_t first_call,
                                               std::span<const KernelLayout> kernels = {});

}  // namespace warpgrade::plan
