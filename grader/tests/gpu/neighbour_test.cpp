// A GPU that somebody else uses, and several GPUs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>

#include "base/statistics.hpp"
#include "gpu/measure.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {

/// This program as another process on the same GPU (tests/gpu/neighbour.hpp), until this goes.
class Neighbour {
 public:
  explicit Neighbour(int device_index) {
    int said[2];
    if (::pipe(said) != 0) return;
    const std::string index = std::to_string(device_index);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(said[1], 1);
      ::execl("/proc/self/exe", "test_gpu", "--noisy-neighbour", index.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(said[1]);
    char letter = 0;
    while (::read(said[0], &letter, 1) == 1 && letter != '\n') first_words_ += letter;
    ::close(said[0]);
  }
  ~Neighbour() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Neighbour(const Neighbour &) = delete;
  Neighbour &operator=(const Neighbour &) = delete;
  const std::string &first_words() const { return first_words_; }

 private:
  pid_t pid_ = -1;
  std::string first_words_;
};

const Sgemm product{1024, 1024, 1024, 1.0f, 0.5f};

Measurement measured_on(const DeviceInfo &device) {
  Replay replay(device, test_fat_binary(), {}, machine().options);
  Referee referee(device, machine().options);
  const auto plan = sgemm_plan("sgemm_tile", product);
  DealtTrial trial(replay, referee, plan, product_of(product), 2e-6);
  TimingOptions options;
  options.lock_directory = std::filesystem::temp_directory_path();
  options.max_seconds = 30;
  return measure_alone({device}, trial, options);
}

double median(const Measurement &m) {
  return quantile(m.seconds(), 0.5);
}

// Unstable times are a grader_error, which costs no points (UnstableTimes in gpu_nodriver). A measurement
// that is believed all the same must be one that could have been made alone.
TEST(NoisyNeighbour, NeverCausesAnAcceptedSlowTime) {
  const Measurement alone = measured_on(machine().device);
  ASSERT_TRUE(alone.ok) << alone.why;
  int believed = 0;
  for (int round = 0; round < 3; ++round) {
    const Neighbour neighbour(machine().device.index);
    ASSERT_EQ(neighbour.first_words(), "the neighbour is at work");
    const Measurement m = measured_on(machine().device);
    EXPECT_FALSE(m.failed) << m.failed->message;
    EXPECT_FALSE(m.wrong_run) << m.why;
    if (m.ok) {
      ++believed;
      EXPECT_LE(median(m), 1.03 * median(alone)) << "a neighbour made it slow, and it counted";
      std::printf("  beside a neighbour: believed, %.1f us (alone %.1f us)\n", median(m) * 1e6,
                  median(alone) * 1e6);
    } else {
      EXPECT_TRUE(m.why.starts_with("unstable times") || m.why.starts_with("only ") ||
                  m.why.starts_with("impossible time"))
          << m.why;
      std::printf("  beside a neighbour: %s\n", m.why.c_str());
    }
  }
  const Measurement after = measured_on(machine().device);
  ASSERT_TRUE(after.ok) << after.why;
  EXPECT_NEAR(median(after) / median(alone), 1.0, 0.03) << "measured again, when it had gone";
  std::printf("  %d of 3 measurements beside it were believed\n", believed);
}

/// The first GPU and each other of its kind.
using Pair = std::pair<DeviceInfo, DeviceInfo>;
std::vector<Pair> pairs_of_one_kind() {
  std::vector<Pair> pairs;
  const auto &all = machine().devices;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].name == all.front().name) pairs.emplace_back(all.front(), all[i]);
  return pairs;
}

class SeveralGpus : public ::testing::TestWithParam<Pair> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SeveralGpus);
INSTANTIATE_TEST_SUITE_P(OfOneKind, SeveralGpus, ::testing::ValuesIn(pairs_of_one_kind()),
                         [](const auto &pair) {
                           return "first_and_" + std::to_string(pair.param.second.index);
                         });

TEST_P(SeveralGpus, MeasureAtTheSameTimeAndAgree) {
  const DeviceInfo devices[] = {GetParam().first, GetParam().second};
  const Measurement alone = measured_on(devices[0]);
  ASSERT_TRUE(alone.ok) << alone.why;
  // One lock for each: if they waited for each other, the second would have no time of its own left.
  auto first = std::async(std::launch::async, [&] { return measured_on(devices[0]); });
  const Measurement second = measured_on(devices[1]);
  const Measurement beside = first.get();
  ASSERT_TRUE(beside.ok) << beside.why;
  ASSERT_TRUE(second.ok) << second.why;
  EXPECT_NEAR(median(beside) / median(alone), 1.0, 0.03);
  EXPECT_NEAR(median(second) / median(alone), 1.0, 0.05);
  std::printf("  GPU %d %.1f us alone, %.1f us beside GPU %d, which takes %.1f us\n", devices[0].index,
              median(alone) * 1e6, median(beside) * 1e6, devices[1].index, median(second) * 1e6);
}

}  // namespace
}  // namespace warpgrade::gpu
