#include "explain/checklist.hpp"

#include <algorithm>
#include <array>

namespace warpgrade::explain {

namespace {

constexpr std::array rows = {
    ChecklistRow{
        "occupancy", "more warps to run while others wait",
        "more requests in flight at a time, so that their latencies overlap",
        "Registers per thread, shared memory and threads per block: change what limits the warps of a "
        "multiprocessor."},
    ChecklistRow{"coalescing", "warps wait for fewer sectors",
                 "the bytes moved are used; bursts and cache lines are not wasted",
                 "Let neighbouring lanes touch neighbours: change which thread does what, or how data are "
                 "laid out. If another order is needed, turn corners in shared memory."},
    ChecklistRow{
        "divergence", "all lanes of a warp work", "–",
        "Let whole warps take the same branch: change which thread does what, or how data are laid out."},
    ChecklistRow{"tiling", "warps wait less often for global memory",
                 "a number is moved once per block, not once per thread",
                 "Keep what a block uses again in shared memory, and what a thread uses again in registers."},
    ChecklistRow{"privatisation", "threads wait less for each other's atomic operations",
                 "fewer updates queue for one address",
                 "Let each block update a copy of its own, and add the copies up at the end."},
    ChecklistRow{"coarsening", "less repeated work, fewer barriers, less divergence",
                 "what several threads would each load is loaded once",
                 "Give a thread several results, where more threads cost more than they bring."},
};

std::string_view name_of_row(Pattern pattern) {
  switch (pattern) {
    case Pattern::coalescing:
    case Pattern::alignment:
    case Pattern::corner_turning:
      return "coalescing";
    case Pattern::tiling:
      return "tiling";
    case Pattern::coarsening:
      return "coarsening";
    case Pattern::divergence:
      return "divergence";
    case Pattern::atomics:
      return "privatisation";
    case Pattern::padding:
    case Pattern::local_memory:
      break;
  }
  return "";
}

}  // namespace

std::span<const ChecklistRow> checklist() {
  return rows;
}

const ChecklistRow *row_of(Pattern pattern) {
  const std::string_view name = name_of_row(pattern);
  const auto *const found =
      std::find_if(rows.begin(), rows.end(), [&](const ChecklistRow &row) { return row.name == name; });
  return found == rows.end() ? nullptr : found;
}

std::string row_in_words(Pattern pattern) {
  const ChecklistRow *row = row_of(pattern);
  return row == nullptr ? "" : "Checklist: " + std::string(row->name) + " (./grade explain --checklist).";
}

}  // namespace warpgrade::explain
