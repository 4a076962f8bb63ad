// The referee and a replay, two processes that share memory, on a driver without a GPU: what is dealt, what
// is seen, what is said.
#include <gtest/gtest.h>

#include <span>

#include "gpu/measure.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

using run::End;

constexpr double tolerance = 2e-6;
const Sgemm problem_at_hand{33, 20, 40, 1.5f, 0.5f};

Replay new_replay(const ChildOptions &options) {
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image));
  return Replay(paper_gpu(), {bytes.begin(), bytes.end()}, {}, options);
}

SampleOptions at_once() {
  SampleOptions options;
  options.spin_seconds = 0;
  return options;
}

/// What the launcher does, with something wrong at the end of it.
plan::LaunchPlan spoiled(std::uint32_t buffer, std::int64_t bytes) {
  auto plan = sgemm_plan("sgemm", problem_at_hand);
  auto launch = launch_of("store_at", {}, {});
  ArgumentBuilder(launch).pointer(buffer).value(bytes);
  plan.operations.push_back(launch);
  return plan;
}

/// Both ways for buffers to travel: memory that two processes map, and a copy over the host.
class PaperReferee : public ::testing::TestWithParam<bool> {
 protected:
  PaperReferee()
      : options_(paper(GetParam() ? std::vector<std::string>{}
                                  : std::vector<std::string>{"PAPER_KEEPS_ITS_MEMORY=1"})),
        replay_(new_replay(options_)),
        referee_(paper_gpu(), options_) {}

  Checked played(const plan::LaunchPlan &plan, std::uint64_t seed = 5) {
    EXPECT_EQ(referee_.take(product_of(problem_at_hand), tolerance), "");
    EXPECT_EQ(referee_.deal(seed), "");
    last_ = referee_.run(replay_, plan, at_once());
    EXPECT_EQ(last_.run.end, End::completed) << last_.run.message;
    return referee_.check(77);
  }

  /// cuBLAS gives right products in these cases.
  void multiplies(const char *name, const std::vector<problem::Case> &cases) {
    const problem::Problem &p = *problem::find_problem(name);
    for (const problem::Case &c : cases) {
      ASSERT_EQ(referee_.take(p.product(c).value(), 8e-6), "");
      ASSERT_EQ(referee_.deal(4), "");
      EXPECT_EQ(referee_.multiply(at_once()).why, "") << "the referee checks the first product itself";
      const auto inputs = p.inputs(c, 4);
      auto outputs = inputs;
      outputs[2] = run::host_buffer("C", run::Role::in_out, referee_.cublas_product());
      EXPECT_EQ(p.compare(c, inputs, p.reference(c, inputs), outputs, 8e-6).wrong, 0u);
    }
  }

  ChildOptions options_;
  Replay replay_;
  Referee referee_;
  Timed last_;
};

TEST_P(PaperReferee, FindsNothingWrongWithARightProduct) {
  const Checked checked = played(sgemm_plan("sgemm", problem_at_hand));
  EXPECT_EQ(checked.why, "");
  EXPECT_EQ(checked.finding, "");
  EXPECT_TRUE(checked.guards.empty());
  EXPECT_GT(last_.sample.seconds, 0);
}

TEST_P(PaperReferee, SeesAMissingProduct) {
  auto plan = sgemm_plan("sgemm", problem_at_hand);
  std::get<plan::Launch>(plan.operations[0]).kernel = "nothing";
  EXPECT_NE(played(plan).finding.find("should be"), std::string::npos);
}

TEST_P(PaperReferee, SeesOneWrongCell) {
  // 1.0 over the cell in the last row and column, which is always looked at.
  const Checked checked = played(spoiled(2, (33 * 20 - 1) * 4));
  EXPECT_TRUE(checked.finding.starts_with("C[32, 19] is 1, should be ")) << checked.finding;
}

TEST_P(PaperReferee, SeesThatAnInputWasChanged) {
  const Checked checked = played(spoiled(1, 8));
  EXPECT_EQ(checked.finding, "the read-only matrix B was changed");
  EXPECT_TRUE(checked.input_changed);
}

TEST_P(PaperReferee, SeesWritesAroundTheBuffers) {
  const Checked checked = played(spoiled(2, 33 * 20 * 4));
  // Memory that both map is looked at by the referee; a copy over the host by the replay.
  const auto &guards = GetParam() ? checked.guards : last_.run.guards_written;
  EXPECT_EQ(guards,
            std::vector<std::string>{"C: 4 bytes past the end were overwritten, the nearest 1 byte past it"});
}

TEST_P(PaperReferee, DrawsTheNumbersOfTheProblem) {
  // C = B as it was dealt, since A B is 0 times alpha: alpha 0 and beta 1 leave C as it was dealt.
  const Sgemm untouched{4, 4, 4, 0.0f, 1.0f};
  ASSERT_EQ(referee_.take(product_of(untouched), tolerance), "");
  ASSERT_EQ(referee_.deal(31), "");
  ASSERT_EQ(referee_.multiply(at_once()).why, "");
  const auto inputs = problem::find_problem("sgemm")->inputs(case_of(untouched), 31);
  EXPECT_EQ(referee_.cublas_product(), floats(inputs[2]));
}

TEST_P(PaperReferee, HasCublasMultiplyTheSameInputs) {
  for (const Sgemm &p : {Sgemm{7, 5, 11, -0.5f, 3.0f}, Sgemm{1, 1, 1, 1, 0}}) {
    ASSERT_EQ(referee_.take(product_of(p), tolerance), "");
    ASSERT_EQ(referee_.deal(4), "");
    const LibraryTime time = referee_.multiply(at_once());
    ASSERT_EQ(time.why, "");
    EXPECT_LE(time.sample.seconds, time.sample.outer_seconds);
    const auto inputs = problem::find_problem("sgemm")->inputs(case_of(p), 4);
    EXPECT_LE(worst_error(p, inputs, referee_.cublas_product()), 2e-6);
  }
  EXPECT_EQ(referee_.cublas_version(), "cuBLAS 13.0.2 from " WARPGRADE_FAKE_CUBLAS "/libcublas.so.13");
}

TEST_P(PaperReferee, HasCublasMultiplyHalves) {
  multiplies("hgemm", {{{7, 5, 11}, {-0.5, 3}}, {{1, 1, 1}, {1, 0}}});
}

TEST_P(PaperReferee, HasCublasMultiplyManyAtOnce) {
  multiplies("hgemm_batched", {{{7, 5, 11, 3}, {-0.5, 3}}, {{4, 6, 2, 5}, {1, 0}}});
}

TEST_P(PaperReferee, HasCublasMultiplyEightBits) {
  const auto &in_8_bits = *problem::find_problem("gemm_e4m3");
  multiplies("gemm_e4m3", {{{7, 5, 48}, {-0.5, 3}}, {{4, 9, 16}, {1, 1}}});
  ASSERT_EQ(referee_.take(in_8_bits.product({{4, 4, 20}, {1, 1}}).value(), 8e-6), "");
  ASSERT_EQ(referee_.deal(4), "");
  EXPECT_EQ(referee_.multiply(at_once()).why, "cuBLASLt has no algorithm for this size (status 15)");
  EXPECT_EQ(referee_.deal(5), "") << "the referee goes on";
}

TEST(PaperEnergy, OfAPlanAndOfCublasComesFromALoopOfRuns) {
  const ChildOptions options = paper({"PAPER_WATTS=300"});
  Replay replay = new_replay(options);
  Referee referee(paper_gpu(), options);
  const auto plan = sgemm_plan("sgemm", problem_at_hand);
  DealtTrial trial(replay, referee, plan, product_of(problem_at_hand), tolerance, at_once());
  TimingOptions timing;
  timing.energy_seconds = 1.2;
  timing.energy_of_library = true;
  timing.unstable = timing.settled_within = 1e9;  // a driver of paper has no steady times
  const Measurement m = measure(trial, timing);
  ASSERT_TRUE(m.ok) << m.why;
  for (const auto &energy : {m.energy, m.library_energy}) {
    ASSERT_TRUE(energy);
    EXPECT_EQ(energy->why_not, "");
    EXPECT_GT(energy->runs, 10);
    EXPECT_NEAR(energy->joules * energy->runs, 300 * energy->seconds, 0.2 * 300 * energy->seconds);
  }
  // The replay goes on after the loop.
  EXPECT_EQ(referee.deal(5), "");
  EXPECT_EQ(referee.run(replay, plan, at_once()).run.end, End::completed);
  EXPECT_EQ(referee.check(7).finding, "");
}

TEST(PaperEnergy, ThatTheGpuDoesNotCountIsAReasonAndNoFailure) {
  const ChildOptions options = paper();
  Replay replay = new_replay(options);
  Referee referee(paper_gpu(), options);
  const auto plan = sgemm_plan("sgemm", problem_at_hand);
  DealtTrial trial(replay, referee, plan, product_of(problem_at_hand), tolerance, at_once());
  TimingOptions timing;
  timing.energy_seconds = 1;
  timing.unstable = timing.settled_within = 1e9;
  const Measurement m = measure(trial, timing);
  ASSERT_TRUE(m.ok) << m.why;
  ASSERT_TRUE(m.energy);
  EXPECT_EQ(m.energy->why_not, "NVML counts no energy on this GPU");
  EXPECT_FALSE(m.library_energy);
}

TEST_P(PaperReferee, ContinuesAfterAReplayThatDied) {
  auto plan = sgemm_plan("sgemm", problem_at_hand);
  plan.operations.push_back(launch_of("die", {}, {}));
  ASSERT_EQ(referee_.take(product_of(problem_at_hand), tolerance), "");
  ASSERT_EQ(referee_.deal(1), "");
  EXPECT_EQ(referee_.run(replay_, plan, at_once()).run.end, End::our_failure);
  EXPECT_EQ(played(sgemm_plan("sgemm", problem_at_hand)).finding, "");
}

TEST_P(PaperReferee, ReadsTheClocks) {
  const Checked checked = played(sgemm_plan("sgemm", problem_at_hand));
  ASSERT_TRUE(checked.state);
  EXPECT_EQ(*checked.state, (GpuState{1980, 3201, 41, 345.6, 0}));
}

TEST_P(PaperReferee, MeasuresAPlanBesideCublas) {
  const auto plan = sgemm_plan("sgemm", problem_at_hand);
  DealtTrial trial(replay_, referee_, plan, product_of(problem_at_hand), tolerance, at_once());
  TimingOptions options;
  options.most_samples = 25;
  const Measurement m = measure(trial, options);
  ASSERT_TRUE(m.ok) << m.why;
  EXPECT_GE(m.samples.size(), 20u);
  EXPECT_LE(m.samples.size(), 25u);
  EXPECT_EQ(m.library_seconds().size(), m.samples.size()) << m.why_no_library;
}

INSTANTIATE_TEST_SUITE_P(OverSharedMemoryAndOverTheHost, PaperReferee, ::testing::Bool(),
                         [](const auto &which) { return which.param ? "Shared" : "Host"; });

TEST(PaperRefereeAlone, MeasuresWithoutCublasAndSaysWhy) {
  auto options = paper();
  options.library_directories = {"/no/such/directory"};
  options.driver_library = WARPGRADE_FAKE_DRIVER;
  Referee referee(paper_gpu(), options);
  Replay replay = new_replay(options);
  const auto plan = sgemm_plan("sgemm", problem_at_hand);
  DealtTrial trial(replay, referee, plan, product_of(problem_at_hand), tolerance, at_once());
  const Measurement m = measure(trial, {});
  ASSERT_TRUE(m.ok) << m.why;
  // A machine that has a cuBLAS finds that one, which will not start on paper.
  EXPECT_TRUE(m.library_seconds().empty());
  EXPECT_FALSE(m.why_no_library.empty());
}

TEST(PaperRefereeAlone, SaysWhatThrottlesTheClocks) {
  Referee referee(paper_gpu(), paper({"PAPER_THROTTLE_REASONS=0x24"}));
  Replay replay = new_replay(paper());
  ASSERT_EQ(referee.take(product_of(problem_at_hand), tolerance), "");
  ASSERT_EQ(referee.deal(1), "");
  referee.run(replay, sgemm_plan("sgemm", problem_at_hand), at_once());
  const Checked checked = referee.check(1);
  ASSERT_TRUE(checked.state);
  EXPECT_EQ(throttle_reasons(*checked.state), "power limit, temperature");
}

TEST(PaperRefereeAlone, SaysThatNvmlIsMissing) {
  auto options = paper();
  options.nvml_library = "/no/such/libnvidia-ml.so";
  Referee referee(paper_gpu(), options);
  ASSERT_EQ(referee.take(product_of(problem_at_hand), tolerance), "");
  EXPECT_NE(referee.why_no_state().find("is missing"), std::string::npos) << referee.why_no_state();
}

TEST(PaperRefereeAlone, AMissingGpuIsOurFailure) {
  auto missing = paper_gpu();
  missing.index = 7;
  Referee referee(missing, paper());
  const auto why = referee.take(product_of(problem_at_hand), tolerance);
  EXPECT_NE(why.find("the referee: cuDeviceGet(7)"), std::string::npos) << why;
}

}  // namespace
}  // namespace warpgrade::gpu
