// What lines would gain without waste, on calls that are put together by hand, and what is remembered of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "course/gpu.hpp"
#include "problem/problem.hpp"
#include "ptx/parser.hpp"
#include "whatif/ideal.hpp"
#include "whatif/kept.hpp"
#include "whatif/promises.hpp"

namespace warpgrade::whatif {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

// Line 9 of this text was made of line 7 of the source.
constexpr std::string_view loads = R"(
.version 7.1
.target sm_80
.address_size 64
.file 1 "a.cu"
.visible .entry loads(.param .u64 x) {
  .reg .b64 %rd<3>;
  .loc 1 7 0
  ld.global.u64 %rd2, [%rd2];
  ret;
}
)";

const simt::SourceLine uncoalesced{"a.cu", 7}, conflicting{"a.cu", 9}, harmless{"a.cu", 11};

/// 64 warps in each of 264 blocks. Line 7 loads 10 times 32 sectors where 4 would do, line 9 reads shared memory in 32
/// wavefronts where one would do, and line 11 loads without waste.
struct Example {
  ptx::Module module = ptx::parse(loads);
  predict::Call call;
  Example() {
    run::SampledLaunch launch;
    launch.kernel = "loads";
    launch.grid = {264, 1, 1};
    launch.block = {256, 1, 1};
    launch.exact = true;
    launch.blocks.push_back({{0, 0, 0}, 264, {}});
    simt::Counters &c = launch.blocks[0].counters;
    const auto add = [&](const simt::SourceLine &at, ptx::Space space, const simt::AccessCounters &access) {
      c.accesses[{at, space, false, 4, space == ptx::Space::global ? "X" : "tile"}] += access;
      for (simt::LineCounters *l : {static_cast<simt::LineCounters *>(&c), &c.lines[at]})
        l->global_load += access.global, l->shared_load += access.shared, l->warp_instructions += 640;
    };
    add(uncoalesced, ptx::Space::global, {{640, 20480, 81920, 81920, 2560}, {}});
    add(conflicting, ptx::Space::shared, {{}, {640, 20480, 19840, 81920, 640, 20480, 19840}});
    add(harmless, ptx::Space::global, {{640, 2560, 81920, 81920, 2560}, {}});
    const simt::UniqueSectors one{20480, 0, 20480}, two{40960, 0, 40960};
    launch.sectors.push_back({"X", one, two, one, two});
    launch.path.blocks = {{9, 10}};
    launch.path.steps = {0};
    simt::LineLoads l{9, 4, "X", {}, {}, 320};
    l.sectors.first = 80;  // of 320: each sector is loaded four times
    l.sectors.again[6] = 240;
    l.requests.first = 5;
    l.requests.again[6] = 5;
    launch.path.loads.push_back(l);
    call.module = &module;
    call.launches.push_back(launch);
    call.registers = 32;
    simt::LaneSample s;
    s.at = uncoalesced;
    s.mask = 0xffffffff;
    s.bytes = 4;
    s.buffer = "X";
    for (std::size_t lane = 0; lane < 32; ++lane) s.offsets[lane] = static_cast<std::int64_t>(lane) * 4096;
    s.cost = 32;
    s.ideal = 4;
    call.samples.push_back(s);
  }
  const simt::Counters &counters() const { return call.launches[0].blocks[0].counters; }
};

TEST(Ideal, ACoalescedLineTouchesTheFewestSectorsAndOthersStay) {
  const Example e;
  const predict::Call cured = ideal(e.call, {uncoalesced});
  const simt::Counters &c = cured.launches[0].blocks[0].counters;
  EXPECT_EQ(c.lines.at(uncoalesced).global_load.sectors, 2560);
  EXPECT_EQ(c.lines.at(harmless), e.counters().lines.at(harmless));
  EXPECT_EQ(c.global_load.sectors, 5120);
  EXPECT_EQ(c.global_load.bytes, e.counters().global_load.bytes);
  EXPECT_EQ(c.shared_load, e.counters().shared_load);
  EXPECT_EQ(c.accesses.at({uncoalesced, ptx::Space::global, false, 4, "X"}).global.sectors, 2560);
  EXPECT_EQ(cured.samples[0].cost, 4);
  EXPECT_EQ(cured.samples[0].offsets[31], 124);
}

TEST(Ideal, WhatIsLoadedForTheFirstTimeStaysSo) {
  const Example e;
  const simt::LineLoads &l = ideal(e.call, {uncoalesced}).launches[0].path.loads[0];
  // An eighth of 320 sectors is needed: fewer than the 80 that are new.
  EXPECT_EQ(l.sectors.first, 40);
  EXPECT_EQ(l.sectors.again[6], 0);
  EXPECT_EQ(l.requests.first, 10);
  EXPECT_EQ(l.requests.again[6], 0);
  EXPECT_EQ(l.lines, 10);
  EXPECT_EQ(ideal(e.call, {harmless}).launches[0].path, e.call.launches[0].path);
}

TEST(Ideal, WithoutBankConflictsARequestTakesTheUnavoidableWavefronts) {
  const Example e;
  const predict::Call cured = ideal(e.call, {conflicting});
  const simt::Counters &c = cured.launches[0].blocks[0].counters;
  EXPECT_EQ(c.shared_load.compiled_wavefronts, 640);
  EXPECT_EQ(c.lines.at(conflicting).shared_load.wavefronts, 640);
  EXPECT_EQ(c.shared_load.conflicts, 0);
  EXPECT_EQ(c.global_load, e.counters().global_load);
}

TEST(Wastes, AreRankedByTheBytesThatTheyMoveForNothing) {
  // 128 * 19840 = 2.5 MB of wavefronts, 32 * 17920 = 0.6 MB of sectors.
  EXPECT_THAT(wastes_of(Example().call),
              ElementsAre(Field(&Waste::at, conflicting), Field(&Waste::at, uncoalesced)));
}

TEST(Wastes, AreThreeAtMostAndNoneThatHardlyCostAnything) {
  Example e;
  simt::Counters &c = e.call.launches[0].blocks[0].counters;
  for (int line : {20, 21})
    c.accesses[{{"a.cu", line}, ptx::Space::global, true, 4, "X"}].global = {1, 9000, 1, 1, 1};
  c.accesses[{{"a.cu", 22}, ptx::Space::global, true, 4, "X"}].global = {1, 9, 1, 1, 1};
  EXPECT_EQ(wastes_of(e.call).size(), 3u);
  Example small;
  small.call.launches[0].blocks[0].counters.accesses.clear();
  EXPECT_THAT(wastes_of(small.call), IsEmpty());
}

TEST(Promises, NameTheLineWithItsCureAndAllTogetherLast) {
  const Example e;
  const auto gpus = course::read_gpus(WARPGRADE_ROOT "/assignments");
  const predict::Machine h200 = predict::machine_of(*course::find_gpu(gpus, "nvidia-h200")).value();
  const auto again = [&](const predict::Call &c) { return predict::predict(c, h200); };
  predict::Prediction p = again(e.call);
  promise(e.call, again, p);
  ASSERT_EQ(p.promises.size(), 3u);
  EXPECT_EQ(in_words(p.promises[0], "a.cu"), "line 9 without bank conflicts");
  EXPECT_EQ(in_words(p.promises[1], "a.cu"), "line 7 coalesced");
  EXPECT_EQ(in_words(p.promises[2], "b.cu"), "lines a.cu:7 and a.cu:9 without waste");
  EXPECT_LT(p.promises[0].seconds, p.seconds);
  EXPECT_LE(p.promises[2].seconds, p.promises[0].seconds);
  EXPECT_LE(p.promises[1].seconds, p.seconds);
}

class Remembered : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("warpgrade-whatif-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// At 1000 GFLOPS; line 2 promises 2000, and with line 3 4000.
  static predict::StepPrediction wasteful(bool both = false) {
    predict::StepPrediction p = without_waste(1000);
    const auto add = [&](std::vector<simt::SourceLine> lines, const char *cure, double rate) {
      const double s = seconds(rate);
      p.prediction.promises.push_back({std::move(lines), cure, s, s, s});
    };
    add({{"a.cu", 2}}, "coalesced", 2000);
    if (both) add({{"a.cu", 3}}, "without bank conflicts", 1500);
    if (both) add({{"a.cu", 2}, {"a.cu", 3}}, "without waste", 4000);
    return p;
  }
  static predict::StepPrediction without_waste(double rate) {
    predict::StepPrediction p;
    p.step = "step1", p.file = "a.cu", p.gpu_id = "nvidia-t4";
    p.problem = problem::find_problem("sgemm");
    p.size = {{1000, 1000, 1000}, {1, 0}};
    p.prediction.seconds = seconds(rate);
    return p;
  }
  static double seconds(double rate) { return 2.0 / rate; }  // 2e9 flops
  std::vector<std::string> kept(predict::StepPrediction p, const std::string &source) const {
    remember(folder_, "/home/student/hw6", "hw6", source, p);
    std::vector<std::string> all;
    for (const predict::KeptPromise &k : p.kept)
      all.push_back(k.what + " " + std::to_string(std::lround(k.before)) + " " +
                    std::to_string(std::lround(k.promised)));
    return all;
  }
  std::filesystem::path folder_;
};

const std::string first = "x\n  y = A[k * n];\ntile[x * 32];\n",
                  second = "x\n\n\n  y = A[k];\ntile[x * 32];\n",
                  third = "x\n  y = A[k * n]; \ntile[x * 33];\n";

TEST_F(Remembered, ACuredLineIsComparedWithWhatItWasPromised) {
  EXPECT_THAT(kept(wasteful(), first), IsEmpty());
  EXPECT_THAT(kept(wasteful(), first), IsEmpty());  // the same file
  EXPECT_THAT(kept(without_waste(1900), second), ElementsAre("line 2 coalesced 1000 2000"));
  EXPECT_THAT(kept(without_waste(1900), second), ElementsAre("line 2 coalesced 1000 2000"));  // asked again
}

TEST_F(Remembered, ALineThatStillWastesIsFoundByItsTextAndHasNoOutcome) {
  kept(wasteful(), first);
  EXPECT_THAT(kept(wasteful(), third), IsEmpty());
}

TEST_F(Remembered, WhoeverCuredAllLinesWasPromisedWhatTheyGainTogether) {
  kept(wasteful(true), first);
  EXPECT_THAT(kept(without_waste(3800), second), ElementsAre("lines 2 and 3 without waste 1000 4000"));
}

TEST_F(Remembered, NothingIsComparedAcrossGpusOrWithoutAFolder) {
  kept(wasteful(), first);
  predict::StepPrediction other = without_waste(1900);
  other.gpu_id = "nvidia-h200";
  EXPECT_THAT(kept(other, second), IsEmpty());
  folder_ = "/proc/nowhere";
  EXPECT_THAT(kept(without_waste(1900), second), IsEmpty());
}

}  // namespace
}  // namespace warpgrade::whatif
