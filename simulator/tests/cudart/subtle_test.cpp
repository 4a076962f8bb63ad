// Programs in which correct and incorrect code differ only in details.
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

class SubtleProgram : public testing::TestWithParam<const char *> {};

TEST_P(SubtleProgram, IsRight) {
  const Ran ran = simt_run("", std::string("subtle ") + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err, ": no errors");
  EXPECT_FALSE(contains(ran.err, "warning")) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(SimtRun, SubtleProgram,
                         testing::Values("same_value", "shared_lock", "shared_flag", "atomic_flag", "padding",
                                         "copied_padding", "wide_padding", "three_bytes_used", "alignment",
                                         "fragments"),
                         [](const auto &one) { return std::string(one.param); });

TEST(SubtleMistake, EqualValuesFromTwoWarpsAreARemark) {
  EXPECT_CONTAINS(simt_run("", "subtle same_value").err,
                  "info: write after write on shared memory any, element 0: two warps write the same value "
                  "without a barrier between");
}

TEST(SubtleMistake, ALockOrFlagWithoutAFenceOrdersNothing) {
  const std::pair<const char *, const char *> mistakes[] = {
      {"lock_without_fence", "a __threadfence_block() is missing after taking it in line"},
      {"flag_without_fence", "but a __threadfence_block() is missing before that"}};
  for (const auto &[name, words] : mistakes) {
    const Ran ran = simt_run("", std::string("subtle ") + name);
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_CONTAINS(ran.err, marked("subtle.cu", name));
    EXPECT_CONTAINS(ran.err, words);
  }
}

TEST(SubtleMistake, AWordWithAnUnwrittenByteIsFoundWhereItMatters) {
  for (const char *name :
       {"missing_byte_added", "missing_byte_asked", "missing_byte_index", "missing_byte_shared"}) {
    const Ran ran = simt_run("", std::string("subtle ") + name);
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_CONTAINS(ran.err,
                    marked("subtle.cu", name) +
                        ": error: this line reads a value of which some bytes were never written, and ");
  }
}

TEST(SubtleMistake, VariablesKeepNamesThatLookLikeMangledTypes) {
  EXPECT_CONTAINS(
      simt_run("", "subtle short_name_d").err,
      marked("subtle.cu", "short_names") + ": error: store of 4 bytes that starts at the end of d (");
  EXPECT_CONTAINS(
      simt_run("", "subtle short_name_f").err,
      marked("subtle.cu", "short_names") + ": error: store of 4 bytes that starts at the end of f (");
}

TEST(SubtleMistake, AFenceElsewhereDoesNotReplaceABarrier) {
  const Ran ran = simt_run("", "subtle fence_elsewhere");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(ran.err, marked("subtle.cu", "fence_elsewhere") + ": error: ");
}

TEST(SubtleMistake, AMissingLastElementIsNotTakenForPadding) {
  EXPECT_CONTAINS(
      simt_run("", "subtle last_element").err,
      "warning: cudaMemcpy: copies 64 bytes of allocation 1 to the host, of which 4 were never written\n");
}

TEST(SubtleMistake, AnUnfilledFragmentHasNoValue) {
  const Ran ran = simt_run("", "subtle fragment_without_fill");
  EXPECT_NE(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err,
                  marked("subtle.cu", "fragments") + ": error: this line reads a variable that has no value");
}

TEST(SubtleMistake, HalfAWarpMultipliesNoFragments) {
  const Ran ran = simt_run("", "subtle fragment_in_a_branch");
  EXPECT_NE(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err,
                  marked("subtle.cu", "fragments") + ": error: a tensor-core instruction needs all 32 lanes");
}

}  // namespace
}  // namespace warpgrade::tests
