// The same verdict whichever compiler. Submissions_test.cpp grades every fixture with clang; here are the
// same fixtures with nvcc, and what is counted under both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "tests/end_to_end/bench.hpp"
#include "tests/scale.hpp"

namespace warpgrade {
namespace {

struct Fixture {
  std::string assignment, verdict;
  fs::path folder;
};

std::vector<Fixture> fixtures() {
  std::vector<Fixture> all;
  for (const std::string &assignment : assignment_names(root))
    if (const fs::path folder = root / "grader/tests/submissions" / assignment; fs::exists(folder))
      for (const auto &verdict : fs::directory_iterator(folder))
        for (const auto &name : fs::directory_iterator(verdict.path()))
          all.push_back({assignment, verdict.path().filename().string(), name.path()});
  std::sort(all.begin(), all.end(), [](const Fixture &a, const Fixture &b) { return a.folder < b.folder; });
  return all;
}

/// Calls `each` for every element, on two threads.
template <class T, class Each>
void in_parallel(const std::vector<T> &all, const Each &each) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < all.size();) each(all[i]);
  };
  std::thread other(work);
  work();
  other.join();
}

/// All of them take nvcc half an hour of one core, so only `make test-front-ends` does that; else every
/// twentieth, and those that the two compilers have judged differently before.
std::vector<Fixture> wanted_fixtures() {
  std::vector<Fixture> all = fixtures();
  if (std::getenv("WARPGRADE_ALL_FIXTURES") != nullptr) return all;
  std::vector<Fixture> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % tests::repetitions(20, 50) == 0 || fs::exists(all[i].folder / "or-with-clang") ||
        all[i].folder.filename() == "takes_all_host_memory" ||
        all[i].folder.filename() == "endless_loop_in_kernel")
      some.push_back(all[i]);
  return some;
}

TEST(FrontEnds, EveryFixtureGetsTheVerdictOfItsFolderUnderNvcc) {
  std::mutex mutex;
  std::vector<std::string> wrong;
  in_parallel(wanted_fixtures(), [&](const Fixture &f) {
    Bench bench(f.assignment, build::Toolchain::nvcc);
    std::set<std::string> right = {f.verdict};
    std::ifstream or_else(f.folder / "or");
    for (std::string verdict; std::getline(or_else, verdict);) right.insert(verdict);
    const grading::SubmissionRecord record = bench.grade(f.folder);
    for (const grading::StepRecord &s : record.steps) {
      const std::string verdict(judge::name_of(s.verdict));
      if (right.contains(verdict)) continue;
      const std::lock_guard lock(mutex);
      wrong.push_back(fmt::format("{}: {} ({}) {}", f.folder.lexically_relative(root).string(), verdict,
                                  s.reason, s.build.log.substr(0, 300)));
    }
  });
  for (const std::string &one : wrong) ADD_FAILURE() << one;
}

/// A step whose counters differ between the compilers: by which share of the larger figure at most, and why.
/// docs/front-ends.md has the same table.
struct Known {
  const char *step;
  double counters, flops;
};
constexpr Known known[] = {
    // Two pipelined kernels read ahead what their last round does not use; clang omits that read.
    {"hw6/beyond5", 0.005, 0},
    {"hw6/beyond7", 0.005, 0},
    // Lanes that took different branches reconverge later under clang, so a warp needs more requests.
    {"histogram/crowded", 0.3, 0},
    {"convolution/tiled", 0.15, 0},
    {"convolution/separable", 0.1, 0},
    {"convolution/boxed", 0.55, 0},
    {"convolution/sliding", 0.55, 0},
    {"scan/coarse", 0.01, 0},
    {"scan/single", 0.01, 0},
    {"hunts/h02", 0.18, 0},
    {"hunts/h09", 0.12, 0},
    {"hunts/h12", 0.36, 0},
    // The same under nvcc.
    {"softmax/tiles", 0.08, 0},
    // clang keeps a value that nvcc loads again.
    {"softmax/naive", 0.001, 0},
    // The compilers unroll the loops over a row and over a thread's steps differently.
    {"spmv/vector", 0.2, 0.12},
    {"spmv/balanced", 0.52, 0.05},
    // nvcc adds in every lane and selects, clang adds in the lanes that need the sum.
    {"reduction/shuffled", 0, 0.2},
    {"reduction/one_pass", 0, 0.2},
    {"hunts/h08", 0, 0.12},
};

/// `expf` is one operation in double precision under clang, and a dozen in single precision under nvcc.
bool calls_math_functions(const std::string &assignment) {
  return assignment == "softmax" || assignment == "attention";
}

/// The verdict, the points, and how far the results are from the reference. Where C is added to, a compiler
/// may fuse either of two products with the sum, so these results may differ in the last bit.
std::string outcome(const Bench &bench, const std::string &assignment,
                    const grading::SubmissionRecord &record, std::size_t step) {
  const grading::StepRecord &s = record.steps[step];
  std::string all =
      fmt::format("{}, {} points", judge::name_of(s.verdict), bench.score(record).steps[step].points);
  if (calls_math_functions(assignment)) return all;
  for (const judge::CaseVerdict &c : s.cases)
    if (c.comparison && c.name.find("beta=") == std::string::npos)
      all += fmt::format("; {:a}", c.comparison->max_error);
  return all;
}

void expect_same_counters(const std::string &assignment, const grading::StepRecord &nvcc,
                          const grading::StepRecord &clang) {
  const std::string step = assignment + "/" + nvcc.id;
  ASSERT_EQ(nvcc.counters.has_value(), clang.counters.has_value()) << step;
  if (!nvcc.counters) return;
  const auto *differs =
      std::find_if(std::begin(known), std::end(known), [&](const Known &k) { return step == k.step; });
  const double of_counters = differs == std::end(known) ? 0 : differs->counters,
               of_flops = differs == std::end(known) ? 0 : differs->flops;
  const simt::Counters &a = nvcc.counters->counts, &b = clang.counters->counts;
  const auto same = [&](const char *what, auto by_nvcc, auto by_clang, double share) {
    const auto x = static_cast<double>(by_nvcc), y = static_cast<double>(by_clang);
    EXPECT_NEAR(x, y, share * std::max(x, y)) << step << ": " << what << " (nvcc, clang)";
  };
  same("requests of global loads", a.global_load.requests, b.global_load.requests, of_counters);
  same("sectors of global loads", a.global_load.sectors, b.global_load.sectors, of_counters);
  same("requests of global stores", a.global_store.requests, b.global_store.requests, of_counters);
  same("sectors of global stores", a.global_store.sectors, b.global_store.sectors, of_counters);
  same("requests of shared stores", a.shared_store.requests, b.shared_store.requests, of_counters);
  same("wavefronts of shared stores", a.shared_store.wavefronts, b.shared_store.wavefronts, of_counters);
  same("wavefronts of shared loads", a.shared_load.wavefronts, b.shared_load.wavefronts, of_counters);
  if (!calls_math_functions(assignment)) same("flops", a.fp32_flops(), b.fp32_flops(), of_flops);
}

class Solution : public ::testing::TestWithParam<std::string> {};

TEST_P(Solution, IsFullWithBothCompilersWithTheSameCountsAndResults) {
  const std::string name = GetParam();
  Bench nvcc(name, build::Toolchain::nvcc), clang(name, build::Toolchain::clang);
  const auto by_nvcc = nvcc.grade(root / "solutions" / name, true),
             by_clang = clang.grade(root / "solutions" / name, true);
  EXPECT_TRUE(nvcc.score(by_nvcc).full()) << nvcc.terminal(by_nvcc);
  EXPECT_TRUE(clang.score(by_clang).full()) << clang.terminal(by_clang);
  ASSERT_EQ(by_nvcc.steps.size(), by_clang.steps.size());
  for (std::size_t i = 0; i < by_nvcc.steps.size(); ++i) {
    EXPECT_EQ(outcome(clang, name, by_clang, i), outcome(nvcc, name, by_nvcc, i))
        << name << ", " << by_nvcc.steps[i].id;
    expect_same_counters(name, by_nvcc.steps[i], by_clang.steps[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(FrontEnds, Solution, ::testing::ValuesIn(assignment_names(root)),
                         [](const auto &assignment) { return assignment.param; });

}  // namespace
}  // namespace warpgrade
