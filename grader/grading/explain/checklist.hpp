// The checklist of optimisations: what each does for the cores and for memory, and how to do it. Advice names
// a row of it. docs/checklist.md has the same table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "explain/explain.hpp"

namespace warpgrade::explain {

struct ChecklistRow {
  std::string_view name;    ///< "coalescing"
  std::string_view cores;   ///< what it does for them
  std::string_view memory;  ///< likewise; "–" for nothing
  std::string_view how;
};
std::span<const ChecklistRow> checklist();

/// The row for a pattern's remedy; null if there is none.
const ChecklistRow *row_of(Pattern);
/// "Checklist: coalescing (./grade explain --checklist).", or "".
std::string row_in_words(Pattern);

}  // namespace warpgrade::explain
