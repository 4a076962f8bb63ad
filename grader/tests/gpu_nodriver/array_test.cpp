// Problems that deal and check by themselves, on a driver without a GPU: their kernels are loops, and its
// memory is the host's.
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/referee.hpp"
#include "problem/problem.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

const problem::Problem &problem_named(const char *name) {
  return *problem::find_problem(name);
}

TEST(PaperArrays, ALibraryRunsOnTheSameInputsAndItsResultIsChecked) {
  Referee referee(paper_gpu(), paper());
  for (const char *name : {"scan", "compact", "sum", "argmin", "histogram"}) {
    const problem::Problem &p = problem_named(name);
    const problem::Case size = problem::parse_case(p, "5000");
    ASSERT_EQ(referee.take(p, size, 6e-8), "") << name;
    std::vector<std::uint64_t> bytes;
    for (const plan::Buffer &buffer : p.buffers(size)) bytes.push_back(buffer.bytes);
    ASSERT_EQ(referee.take(p.routine(), bytes), "") << name;
    for (const std::uint64_t seed : {1, 2}) {
      ASSERT_EQ(referee.deal(seed), "") << name;
      EXPECT_EQ(referee.compute_dealt(true).why, "") << name;
      EXPECT_EQ(referee.compute_dealt(false).why, "") << name;
    }
  }
}

TEST(PaperArrays, ALibraryThatIsWrongIsNamed) {
  Referee referee(paper_gpu(), paper({"PAPER_CUB_IS_WRONG=1"}));
  const problem::Problem &p = problem_named("scan");
  const problem::Case size = problem::parse_case(p, "1");
  ASSERT_EQ(referee.take(p, size, 6e-8), "");
  ASSERT_EQ(referee.take(p.routine(), {4, 4}), "");
  ASSERT_EQ(referee.deal(1), "");
  const std::string why = referee.compute_dealt(true).why;
  EXPECT_TRUE(why.starts_with("CUB itself gave a wrong result: 1 of 1 elements of y are wrong: y[0] is "))
      << why;
}

TEST(PaperArrays, ACopyHasTheBytesOfTheProblem) {
  Referee referee(paper_gpu(), paper());
  const problem::Problem &p = problem_named("saxpy");
  const problem::Case size = problem::parse_case(p, "1000");
  ASSERT_EQ(referee.take(p, size, 6e-8), "");
  ASSERT_EQ(referee.take(p.routine(), {6000, 6000}), "");
  ASSERT_EQ(referee.deal(1), "");
  EXPECT_EQ(referee.compute_dealt(true).why, "");
}

/// No kernel has run: the outputs are what they were.
TEST(PaperArrays, AnUnwrittenResultIsFoundAndNamed) {
  Referee referee(paper_gpu(), paper());
  const problem::Problem &p = problem_named("transpose");
  const problem::Case size = problem::parse_case(p, "rows=3 columns=50");
  ASSERT_EQ(referee.take(p, size, 6e-8), "");
  ASSERT_EQ(referee.deal(7), "");
  const Checked checked = referee.check(1);
  EXPECT_EQ(checked.why, "");
  EXPECT_TRUE(checked.finding.starts_with("150 of 150 elements of B are wrong: B[0, 0] is "))
      << checked.finding;
  EXPECT_FALSE(checked.input_changed);
  EXPECT_TRUE(checked.guards.empty());
}

TEST(PaperArrays, InputsThatNoKernelCanDrawAreReported) {
  Referee referee(paper_gpu(), paper());
  const problem::Problem &p = problem_named("spmv_coo");
  EXPECT_EQ(referee.take(p, problem::parse_case(p, "rows=1 columns=1 entries=1"), 1e-6),
            "spmv_coo has no problem.cu");
  EXPECT_EQ(referee.compute_dealt(true).why, "there are no inputs");
  ChildOptions options = paper();
  options.library_directories = {"/no/such/directory"};
  Referee without(paper_gpu(), options);
  const problem::Problem &scan = problem_named("scan");
  const std::string why = without.take(scan, problem::parse_case(scan, "5"), 1e-6);
  EXPECT_TRUE(
      why.starts_with("the kernels of problems, which `make` compiles where the CUDA Toolkit is, were "
                      "not found (libwarpgrade_problems.so; looked in /no/such/directory, "))
      << why;
}

TEST(PaperArrays, ProductsContinueAfterwards) {
  Referee referee(paper_gpu(), paper());
  const problem::Problem &p = problem_named("sum");
  ASSERT_EQ(referee.take(p, problem::parse_case(p, "100"), 6e-8), "");
  ASSERT_EQ(referee.deal(1), "");
  ASSERT_EQ(referee.take(product_of({4, 4, 4, 1, 0}), 2e-6), "");
  ASSERT_EQ(referee.deal(1), "");
  EXPECT_EQ(referee.multiply().why, "");
}

}  // namespace
}  // namespace warpgrade::gpu
