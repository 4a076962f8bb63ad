// The checklist of optimisations: what each does for the cores and for memory, and how it is done. Advice
// names its row. docs/checklist.md holds the same table.
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

/// The row that a pattern's cure stands in; null where it is in none.
const ChecklistRow *row_of(Pattern);
/// "Checklist: coalescing.", or "".
std::string row_in_words(Pattern);

}  // namespace warpgrade::explain
