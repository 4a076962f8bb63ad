// Which runs count and when to stop, with runs that a test makes up.
#include "gpu/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace warpgrade::gpu {
namespace {

/// A run that the test writes down: times in microseconds.
struct Act {
  double own = 100, cublas = 50;
  int sm_mhz = 1980;
  std::uint64_t reasons = 0;
  std::string finding = {};
};

/// Plays acts in turn, the last one for ever.
class Play : public Trial {
 public:
  explicit Play(std::vector<Act> acts) : acts_(std::move(acts)) {}
  Timed run() override {
    act_ = acts_[std::min(turn_++, acts_.size() - 1)];
    Timed timed;
    timed.run.end = run::End::completed;
    timed.sample = {act_.own * 1e-6, act_.own * 1e-6 + 1e-4, 0};
    return timed;
  }
  Checked check() override {
    Checked checked;
    checked.finding = act_.finding;
    checked.state = GpuState{act_.sm_mhz, 3201, 41, 300, act_.reasons};
    return checked;
  }
  LibraryTime library() override {
    return {cublas_fails ? "no such thing" : "", {act_.cublas * 1e-6, 1e-3, 0}};
  }
  bool cublas_fails = false;
  std::size_t turns() const { return turn_; }

 private:
  std::vector<Act> acts_;
  Act act_;
  std::size_t turn_ = 0;
};

constexpr std::uint64_t power_limit = 0x04;

TEST(Measuring, StopsAtTheLeastNumberOfSamplesWhenTheyAgree) {
  Play play({Act{}});
  const Measurement m = measure(play, {});
  ASSERT_TRUE(m.ok) << m.why;
  EXPECT_EQ(m.samples.size(), 20u);
  EXPECT_EQ(m.warmup_runs, 3);
  EXPECT_TRUE(m.settled);
  for (const double seconds : m.seconds()) EXPECT_DOUBLE_EQ(seconds, 100e-6);
  ASSERT_EQ(m.library_seconds().size(), 20u);
  for (const double seconds : m.library_seconds()) EXPECT_DOUBLE_EQ(seconds, 50e-6);
}

TEST(Measuring, CountsEnergyOnlyIfItIsWantedAndOfRunsThatAreShort) {
  TimingOptions wanted;
  wanted.energy_seconds = 1;
  Play play({Act{}});
  EXPECT_FALSE(measure(play, {}).energy);
  EXPECT_EQ(measure(play, wanted).energy->why_not, "energy is not counted here");
  Play slow({Act{.own = 0.2e6, .cublas = 50}});
  const Measurement m = measure(slow, wanted);
  ASSERT_TRUE(m.ok) << m.why;
  EXPECT_EQ(m.energy->why_not, "a run takes too long to be repeated for its energy");
}

TEST(Measuring, WarmsUpUntilTimesAndClocksHaveSettled) {
  // The clock rises until run 5; three runs in a row must agree.
  Play play({{130, 65, 1200},
             {120, 60, 1400},
             {110, 55, 1700},
             {101, 51, 1900},
             {100, 50, 1980},
             {100, 50, 1980},
             {100, 50, 1980}});
  const Measurement m = measure(play, {});
  EXPECT_EQ(m.warmup_runs, 7);
  EXPECT_TRUE(m.settled);
}

TEST(Measuring, WarmsUpUntilCublasHasSettledToo) {
  Play play({{100, 90}, {100, 70}, {100, 60}, {100, 50}, {100, 50}, {100, 50}});
  EXPECT_EQ(measure(play, {}).warmup_runs, 6);
}

TEST(Measuring, SaysThatTheClocksNeverSettled) {
  std::vector<Act> acts;
  for (int i = 0; i < 200; ++i) acts.push_back({i % 2 == 0 ? 100.0 : 110.0, 50});
  Play play(acts);
  TimingOptions options;
  const Measurement m = measure(play, options);
  EXPECT_EQ(m.warmup_runs, options.most_warmup);
  EXPECT_FALSE(m.settled);
  EXPECT_TRUE(m.ok);
}

TEST(Measuring, TakesMoreSamplesUntilTheMedianIsKnown) {
  // Every third run is 2 % slower: of 20, 7 are, and the interval of the median reaches to the 15th.
  std::vector<Act> acts;
  for (int i = 0; i < 400; ++i) acts.push_back({i % 3 == 0 ? 102.0 : 100.0, 50});
  Play play(acts);
  TimingOptions options;
  options.most_samples = 200;
  const Measurement m = measure(play, options);
  ASSERT_TRUE(m.ok);
  EXPECT_GT(m.samples.size(), 20u);
  EXPECT_LT(m.samples.size(), 200u);
}

TEST(Measuring, EndsAtTheCapWhenTimesScatter) {
  std::vector<Act> acts;
  for (int i = 0; i < 400; ++i) acts.push_back({100.0 + i % 10, 50});
  Play play(acts);
  TimingOptions options;
  const Measurement m = measure(play, options);
  EXPECT_EQ(m.samples.size(), static_cast<std::size_t>(options.most_samples));
}

TEST(Measuring, MeasuresLongerWhileAThresholdIsInDoubt) {
  Play play({Act{}});
  TimingOptions options;
  const auto until_90 = [](const Measurement &m) { return m.samples.size() < 90; };
  EXPECT_EQ(measure(play, options, until_90).samples.size(), 90u);
  const auto always = [](const Measurement &) { return true; };
  EXPECT_EQ(measure(play, options, always).samples.size(), static_cast<std::size_t>(options.most_in_doubt));
}

TEST(Measuring, RepeatsThrottledRunsAndKeepsThemSeparate) {
  std::vector<Act> acts(6);
  acts[4] = {140, 70, 1200, power_limit};
  acts[5] = {141, 71, 1200, power_limit};
  acts.emplace_back();
  Play play(acts);
  const Measurement m = measure(play, {});
  ASSERT_TRUE(m.ok);
  EXPECT_EQ(m.samples.size(), 20u);
  ASSERT_EQ(m.throttled.size(), 2u);
  EXPECT_DOUBLE_EQ(m.throttled[0].time.seconds, 140e-6);
  EXPECT_EQ(play.turns(), 3u + 20u + 2u);
  EXPECT_FALSE(m.throttled_throughout);
}

TEST(Measuring, UsesThrottledRunsWhenThereAreNoOthersAndSaysSo) {
  Play play({{140, 70, 1200, power_limit}});
  const Measurement m = measure(play, {});
  ASSERT_TRUE(m.ok) << m.why;
  EXPECT_TRUE(m.throttled_throughout);
  EXPECT_GE(m.samples.size(), 20u);
  EXPECT_TRUE(m.throttled.empty());
}

TEST(Measuring, AWrongRunEndsItWithTheFindingEvenWhileWarmingUp) {
  for (const std::size_t at : {0u, 2u, 7u}) {
    std::vector<Act> acts(at);
    acts.push_back({100, 50, 1980, 0, "C[0, 0] is 1, should be 2"});
    Play play(acts);
    const Measurement m = measure(play, {});
    EXPECT_FALSE(m.ok);
    EXPECT_EQ(m.why, "C[0, 0] is 1, should be 2");
    EXPECT_EQ(m.wrong_run, static_cast<int>(at));
  }
}

TEST(Measuring, ContinuesWithoutCublas) {
  Play play({Act{}});
  play.cublas_fails = true;
  const Measurement m = measure(play, {});
  ASSERT_TRUE(m.ok);
  EXPECT_EQ(m.why_no_library, "no such thing");
  EXPECT_TRUE(m.library_seconds().empty());
}

TEST(Measuring, TooFewSamplesInTheTimeAreNoMeasurement) {
  Play play({Act{}});
  TimingOptions options;
  options.max_seconds = -1;
  const Measurement m = measure(play, options);
  EXPECT_FALSE(m.ok);
  EXPECT_NE(m.why.find("only 0 of at least 20 timed runs"), std::string::npos) << m.why;
}

TEST(Measuring, OfSlowRunsAFewAreEnough) {
  // Eight seconds a run by the events and by the clock around them; the test's own clock hardly moves.
  class Snail : public Play {
   public:
    Snail() : Play({Act{8e6, 50}}) {}
    Checked check() override {
      if (turns() >= 3 + 4) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return Play::check();
    }
  } snail;
  TimingOptions options;
  options.max_seconds = 0.2;
  const Measurement m = measure(snail, options);
  ASSERT_TRUE(m.ok) << m.why;
  EXPECT_TRUE(m.cut_short);
  EXPECT_EQ(m.samples.size(), 4u);
}

TEST(Measuring, TimesThatScatterWithCublasAreUnstable) {
  std::vector<Act> acts;
  for (int i = 0; i < 400; ++i) acts.push_back({100.0 + 5 * (i % 7), 50.0 + 5 * (i % 7)});
  Play play(acts);
  const Measurement m = measure(play, {});
  EXPECT_FALSE(m.ok);
  EXPECT_TRUE(m.why.starts_with("unstable times: the median of the library is only known to")) << m.why;
}

TEST(Measuring, TimesThatScatterBesideASteadyCublasAreTheStudents) {
  std::vector<Act> acts;
  for (int i = 0; i < 400; ++i) acts.push_back({100.0 + 5 * (i % 7), 50});
  Play play(acts);
  EXPECT_TRUE(measure(play, {}).ok);
}

TEST(Measuring, AnImpossibleTimeIsNotAMeasurement) {
  class Liar : public Play {
   public:
    Liar() : Play({Act{}}) {}
    Timed run() override {
      Timed timed = Play::run();
      timed.sample.outer_seconds = timed.sample.seconds / 2;
      return timed;
    }
  } liar;
  const Measurement m = measure(liar, {});
  EXPECT_FALSE(m.ok);
  EXPECT_TRUE(m.why.starts_with("impossible time")) << m.why;
}

}  // namespace
}  // namespace warpgrade::gpu
