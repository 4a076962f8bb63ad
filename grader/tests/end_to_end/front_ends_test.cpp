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
/// tenth, and those that the two compilers have judged differently before.
std::vector<Fixture> wanted_fixtures() {
  std::vector<Fixture> all = fixtures();
  if (std::getenv("WARPGRADE_ALL_FIXTURES") != nullptr) return all;
  std::vector<Fixture> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % tests::repetitions(10, 50) == 0 || fs::exists(all[i].folder / "or-with-clang") ||
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

/// What was counted, how far the results are from the reference, and what that scores. Where C is added to,
/// a compiler may fuse either of two products with the sum, so these results may differ in the last bit.
/// After a branch in a loop, lanes may meet again later under clang: then a warp loads and adds in more
/// requests.
std::string figures(const Bench &bench, const grading::SubmissionRecord &record, std::size_t step) {
  const grading::StepRecord &s = record.steps[step];
  std::string all =
      fmt::format("{}, {} points", judge::name_of(s.verdict), bench.score(record).steps[step].points);
  for (const judge::CaseVerdict &c : s.cases)
    if (c.comparison && c.name.find("beta=") == std::string::npos)
      all += fmt::format("; {:a}", c.comparison->max_error);
  if (!s.counters) return all;
  const simt::Counters &c = s.counters->counts;
  if (s.id == "crowded") return all;
  return all +
         fmt::format(
             "; global loads {} in {} sectors, stores {} in {}; shared stores {} in {} wavefronts; {} flops",
             c.global_load.requests, c.global_load.sectors, c.global_store.requests, c.global_store.sectors,
             c.shared_store.requests, c.shared_store.wavefronts, c.fp32_flops());
}

double shared_loads(const grading::StepRecord &s) {
  return s.counters ? static_cast<double>(s.counters->counts.shared_load.wavefronts) : 0;
}

TEST(FrontEnds, CountTheSameInEverySolutionAndGiveTheSamePointsForTheSameResults) {
  in_parallel(assignment_names(root), [&](const std::string &name) {
    Bench nvcc(name, build::Toolchain::nvcc), clang(name, build::Toolchain::clang);
    const auto by_nvcc = nvcc.grade(root / "solutions" / name, true),
               by_clang = clang.grade(root / "solutions" / name, true);
    ASSERT_EQ(by_nvcc.steps.size(), by_clang.steps.size());
    for (std::size_t i = 0; i < by_nvcc.steps.size(); ++i) {
      const grading::StepRecord &a = by_nvcc.steps[i], &b = by_clang.steps[i];
      EXPECT_EQ(figures(clang, by_clang, i), figures(nvcc, by_nvcc, i)) << name << ", " << a.id;
      // Two pipelined kernels read ahead what their last round does not use; clang leaves that read out.
      const double allowed = a.id.starts_with("beyond") ? 0.005 * shared_loads(a) : 0;
      EXPECT_NEAR(shared_loads(b), shared_loads(a), allowed) << name << ", " << a.id;
    }
  });
}

}  // namespace
}  // namespace warpgrade
