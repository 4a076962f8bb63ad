#include "mutants/equivalent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "course/yaml.hpp"

namespace warpgrade::mutants {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string guarded = "__global__ void k(int n) {\n  int i = 0;\n  if (i < n) f();\n}\n";

Mutant more_through() {
  const std::vector<std::string_view> one = {"comparison: lets one more through"};
  return mutants_of(guarded, one).at(0);
}

std::vector<Equivalent> entries(const std::string &yaml) {
  const Scratch scratch;
  write_scratch(scratch.path() / equivalents_file, "assignment: toy\nequivalent:\n" + yaml);
  return read_equivalents(scratch.path(), "toy");
}

std::string refusal(const std::string &yaml) {
  try {
    entries(yaml);
  } catch (const std::exception &e) {
    return e.what();
  }
  return "";
}

TEST(EquivalentChanges, FitByTheLineThatIsChangedWithoutTheBlanksAroundIt) {
  EXPECT_EQ(changed_lines(guarded, more_through()).before, "if (i < n) f();");
  EXPECT_EQ(changed_lines(guarded, more_through()).after, "if (i <= n) f();");
  const Equivalent one = entries("  - {line: if (i < n) f();, because: n is never 0}\n").at(0);
  EXPECT_EQ(one.because, "n is never 0");
  EXPECT_TRUE(one.fits("step1", guarded, more_through()));
  EXPECT_FALSE(entries("  - {line: if (i < n), because: x}\n").at(0).fits("step1", guarded, more_through()));
}

TEST(EquivalentChanges, FitWhatIsSaidOfThemOnly) {
  const auto fits = [](const std::string &what) {
    return entries("  - {" + what + ", because: x}\n").at(0).fits("step1", guarded, more_through());
  };
  EXPECT_TRUE(fits("step: step1, line: if (i < n) f();, becomes: if (i <= n) f();"));
  EXPECT_FALSE(fits("step: step2, line: if (i < n) f();"));
  EXPECT_FALSE(fits("line: if (i < n) f();, becomes: if (true) f();"));
  EXPECT_TRUE(fits("kind: 'comparison: lets one more through'"));
  EXPECT_FALSE(fits("kind: 'comparison: lets one less through'"));
}

TEST(EquivalentChanges, AreNoneWithoutAFile) {
  const Scratch scratch;
  EXPECT_THAT(read_equivalents(scratch.path(), "toy"), IsEmpty());
}

TEST(EquivalentChanges, NeedAReasonAndSomethingToFit) {
  EXPECT_THAT(refusal("  - {line: a}\n"), HasSubstr("because"));
  EXPECT_THAT(refusal("  - {step: a, because: b}\n"),
              HasSubstr("equivalent.yaml:3: an entry needs a 'kind' or a 'line'"));
  EXPECT_THAT(refusal("  - {kind: a, becomes: b, because: c}\n"), HasSubstr("'becomes' needs a 'line'"));
  EXPECT_THAT(refusal("  - {kind: magic, because: b}\n"), HasSubstr("no change is of the kind 'magic'"));
}

}  // namespace
}  // namespace warpgrade::mutants
