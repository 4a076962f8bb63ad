// The checklist that advice refers to, and the document that holds it.
#include "explain/checklist.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace warpgrade::explain {
namespace {

std::string row_of_table(const ChecklistRow &row) {
  std::ostringstream text;
  text << "| " << row.name << " | " << row.cores << " | " << row.memory << " | " << row.how << " |";
  return text.str();
}

TEST(Checklist, TheDocumentHoldsItsRowsWordByWordAndNoOthers) {
  std::ifstream in(WARPGRADE_ROOT "/docs/checklist.md");
  std::set<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| name |", 0) == 0) inside = true;
    if (line.empty()) inside = false;
    if (inside && line.rfind("| name |", 0) != 0 && line.rfind("|---", 0) != 0) rows.insert(line);
  }
  std::set<std::string> wanted;
  for (const ChecklistRow &row : checklist()) wanted.insert(row_of_table(row));
  EXPECT_EQ(rows, wanted);
}

TEST(Checklist, HasTheSixOptimisationsOfTheCourse) {
  std::vector<std::string_view> names;
  for (const ChecklistRow &row : checklist()) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"occupancy", "coalescing", "divergence", "tiling",
                                                  "privatisation", "coarsening"}));
}

TEST(Checklist, AdviceOnAtomicsNamesPrivatisationAndThatOnPaddingNoRow) {
  EXPECT_EQ(row_in_words(Pattern::atomics), "Checklist: privatisation (./grade explain --checklist).");
  EXPECT_EQ(row_in_words(Pattern::corner_turning), "Checklist: coalescing (./grade explain --checklist).");
  EXPECT_EQ(row_of(Pattern::padding), nullptr);
  EXPECT_EQ(row_in_words(Pattern::padding), "");
}

}  // namespace
}  // namespace warpgrade::explain
