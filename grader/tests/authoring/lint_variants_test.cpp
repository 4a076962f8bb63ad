#include "authoring/lint_variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/scratch.hpp"

namespace warpgrade::authoring {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LintVariants, NamesThoseThatAreHarderThanTheMedianByMoreThanTenPercent) {
  // The median of 100, 100, 100, 110, 111 is 100; 110 is 10 % more, and not more than that.
  EXPECT_THAT(harder_than_others({{"a", {100, 1, 0}},
                                  {"b", {100, 1, 0}},
                                  {"c", {111, 1, 0}},
                                  {"d", {110, 1, 0}},
                                  {"e", {100, 2, 5}}}),
              ElementsAre("more than 10 % more warp instructions than the median variant: c (11 %)",
                          "more than 10 % more sectors of global memory than the median variant: e (100 %)"));
}

TEST(LintVariants, AreAsHardAsEachOtherOrAlone) {
  EXPECT_THAT(harder_than_others({}), IsEmpty());
  EXPECT_THAT(harder_than_others({{"a", {1, 2, 3}}}), IsEmpty());
  EXPECT_THAT(harder_than_others({{"a", {10, 2, 3}}, {"b", {11, 2, 3}}}), IsEmpty());
}

TEST(LintVariants, OfOursHaveNoMistakes) {
  EXPECT_THAT(mistakes_in_variants(WARPGRADE_ROOT, "hw6"), IsEmpty());
  EXPECT_THAT(mistakes_in_variants(WARPGRADE_ROOT, "reduction"), IsEmpty());
  EXPECT_THAT(mistakes_in_variants(WARPGRADE_ROOT, "scan"), IsEmpty()) << "it has none";
}

TEST(LintVariants, FindAFileThatNothingReads) {
  const Scratch scratch;
  const std::filesystem::path folder = scratch.path() / "assignments/toy";
  std::filesystem::create_directories(folder);
  write_whole(folder / "assignment.yaml", "assignment: toy\n");
  write_whole(folder / "variants.yaml", "assignment: toy\n");
  EXPECT_THAT(mistakes_in_variants(scratch.path(), "toy"),
              ElementsAre(::testing::HasSubstr("add the line 'variants: variants.yaml' to assignment.yaml")));
}

}  // namespace
}  // namespace warpgrade::authoring
