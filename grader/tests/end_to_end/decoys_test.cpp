// What is counted is what contributes: advice on other shapes, sizes near the counted one, decoys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/step_grader.hpp"
#include "tests/end_to_end/bench.hpp"

namespace warpgrade {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const fs::path submissions = root / "grader/tests/submissions/hw6",
               hw7 = root / "grader/tests/submissions/hw7/accepted";

const judge::Finding *advice_in(const grading::StepRecord &s) {
  for (const judge::Finding &f : s.findings)
    if (f.code == "advisory_case") return &f;
  return nullptr;
}

struct Advised {
  const char *fixture, *cause;
};
class Advisory : public ::testing::TestWithParam<Advised> {};

TEST_P(Advisory, WrongIndexingThatSquaresHideIsAWarningWithItsCause) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted" / GetParam().fixture);
  const grading::StepRecord &s = record.steps.at(0);
  EXPECT_EQ(s.verdict, judge::Verdict::accepted) << s.reason;
  const judge::Finding *advice = advice_in(s);
  ASSERT_TRUE(advice) << bench.terminal(record);
  EXPECT_EQ(advice->severity, "warning");
  EXPECT_THAT(advice->message, HasSubstr("works for squares only: "));
  EXPECT_THAT(advice->message, HasSubstr(GetParam().cause));
  EXPECT_THAT(advice->message, HasSubstr("step4 checks this"));
  EXPECT_THAT(bench.terminal(record), HasSubstr("works for squares only"));
  EXPECT_THAT(bench.json(record), HasSubstr("\"advisory\": true"));
  for (const judge::Finding &f : s.findings) EXPECT_NE(f.severity, "error") << f.message;
  EXPECT_GE(bench.score(record).steps[0].points, s.id == "step0" ? 10 : 11);
}

INSTANTIATE_TEST_SUITE_P(
    Hw6, Advisory,
    ::testing::Values(Advised{"row_stride_of_a_is_n", "the row stride of A is K, not N"},
                      Advised{"row_stride_of_b_is_k",
                              "the row stride of B is N, not K; the row stride of C is N, not M"},
                      Advised{"guards_exchanged", "does a guard or the grid use"},
                      Advised{"grid_exchanged", "does a guard or the grid use"}),
    [](const auto &advised) { return std::string(advised.param.fixture); });

TEST(Advice, IsSilentWhereAllShapesAreRight) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted/indices_of_64_bits");
  EXPECT_FALSE(advice_in(record.steps.at(0))) << bench.terminal(record);
  int ran = 0;
  for (const judge::CaseVerdict &c : record.steps[0].cases) ran += c.advisory && c.ran();
  EXPECT_EQ(ran, 5);  // three other shapes, and two of three with more elements than an int counts
}

TEST(Counted, ThresholdsMustHoldNearTheSizeToo) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted/coalesced_at_the_counted_size_alone");
  const score::StepScore s = bench.score(record).steps.at(0);
  EXPECT_EQ(s.points, 11) << bench.terminal(record);
  ASSERT_EQ(s.counters.size(), 2u);
  for (const score::CounterScore &c : s.counters) EXPECT_THAT(c.at, HasSubstr("m=n=k=2"));
  EXPECT_THAT(bench.terminal(record), HasSubstr("counters at m=n=k=256")) << "reports stay comparable";
}

TEST(Counted, IdleArithmeticLowersNoQuotient) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted/idle_arithmetic");
  const score::StepScore s = bench.score(record).steps.at(0);
  ASSERT_EQ(s.counters.size(), 2u) << bench.terminal(record);
  for (const score::CounterScore &c : s.counters) EXPECT_FALSE(c.passed) << judge::in_words(c.check.measure);
}

TEST(Counted, UselessAccessesLowerNoQuotient) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted/idle_coalesced_loads");
  const score::StepScore s = bench.score(record).steps.at(0);
  ASSERT_EQ(s.counters.size(), 2u) << bench.terminal(record);
  EXPECT_FALSE(s.counters[0].passed) << "sectors loaded: " << *s.counters[0].value;
  EXPECT_THAT(bench.terminal(record), HasSubstr("this access changes no result"));
}

/// Of the products on tensor cores of a step.
score::CounterScore tensor_share(const Bench &bench, const grading::SubmissionRecord &record) {
  const score::StepScore s = bench.score(record).steps.at(0);
  for (const score::CounterScore &c : s.counters)
    if (c.check.measure == course::Measure::tensor_share) return c;
  throw std::runtime_error("no share of tensor cores was counted");
}

TEST(Counted, UnusedProductsEarnNothing) {
  Bench bench("hw7");
  const auto record = bench.grade(hw7 / "products_for_show");
  EXPECT_EQ(record.steps.at(0).verdict, judge::Verdict::accepted) << record.steps[0].reason;
  EXPECT_EQ(tensor_share(bench, record).value, 0);
  EXPECT_THAT(bench.terminal(record), HasSubstr("this product changes no result"));
}

TEST(Counted, ProductsBesideOrdinaryArithmeticEarnNothing) {
  Bench bench("hw7");
  const auto record = bench.grade(hw7 / "products_of_the_first_stride_alone");
  EXPECT_EQ(record.steps.at(0).verdict, judge::Verdict::accepted) << record.steps[0].reason;
  const score::CounterScore share = tensor_share(bench, record);
  EXPECT_FALSE(share.passed);
  EXPECT_LT(share.value, 0.1);
}

TEST(Counted, ProductsWithArithmeticForEachResultEarnTheirPoints) {
  Bench bench("hw7");
  const auto record = bench.grade(hw7 / "products_with_a_long_epilogue");
  const score::CounterScore share = tensor_share(bench, record);
  EXPECT_TRUE(share.passed) << *share.value;
  EXPECT_EQ(share.value, 1);
  for (const judge::Finding &f : record.steps[0].findings) EXPECT_NE(f.code, "idle_product");
}

TEST(Counted, AHelperOfAKernelTakesNoPoints) {
  Bench bench;
  const auto record = bench.grade(submissions / "accepted/scales_c_in_a_kernel_of_its_own");
  const score::StepScore s = bench.score(record).steps.at(0);
  for (const score::CounterScore &c : s.counters)
    if (c.check.measure == course::Measure::outputs_per_thread) {
      EXPECT_TRUE(c.passed);
      EXPECT_EQ(*c.value, 16);
    }
}

// Each solution, at every size that a seed may choose.
class HonestWork : public ::testing::TestWithParam<const char *> {};

TEST_P(HonestWork, KeepsItsCounterPointsAtEverySizeThatMayBeDrawn) {
  const course::Assignment a = course::read_assignment(root / "assignments" / GetParam());
  const auto machine = look_at_machine(root, a, device, true);
  grading::Options options;
  options.seed = 7;
  grading::Grader grader(a, machine->environment, options);
  const fs::path solutions = root / "solutions" / GetParam();
  for (const course::Step &step : a.steps) {
    if (step.counter_checks.empty()) continue;
    const build::Build build = grader.build(step, solutions);
    ASSERT_TRUE(build.ok) << step.id << build.message;
    const grading::CounterRecord nominal = grader.count(step, build, step.counters_on);
    EXPECT_FALSE(step.counters_near.empty()) << step.id;
    constexpr std::size_t enough = 8;  // of the sizes of a histogram, which are many and all alike
    const std::size_t stride = (step.counters_near.size() + enough - 1) / enough;
    for (std::size_t i = 0; i < step.counters_near.size(); i += stride) {
      const problem::Case &c = step.counters_near[i];
      const grading::CounterRecord near = grading::as_near(step, grader.count(step, build, c));
      for (const score::CounterScore &s : score::score_counters(step, nominal, &near))
        EXPECT_TRUE(s.passed) << step.id << " at " << step.problem->case_name(c) << ": "
                              << judge::in_words(s.check.measure) << " " << s.value.value_or(-1);
    }
    if (!step.rules.outputs_per_thread) continue;
    for (const problem::Case &c : step.rules.outputs_per_thread->near)
      EXPECT_GE(
          static_cast<double>(step.problem->outputs(c)) / judge::threads_of(grader.plan(step, build, c), {}),
          step.rules.outputs_per_thread->at_least);
  }
}

INSTANTIATE_TEST_SUITE_P(Assignments, HonestWork,
                         ::testing::Values("hw6", "pa2", "banks", "ch6", "histogram", "unroll"),
                         [](const auto &name) { return std::string(name.param); });

}  // namespace
}  // namespace warpgrade
