// A record is the same to the byte however many threads simulate, whatever a submission does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/end_to_end/bench.hpp"

namespace warpgrade {
namespace {

struct Fixture {
  std::string assignment;
  fs::path folder;
};

/// All of them are many minutes of one core, so `make test-threads` alone does that. `make test-long` takes every
/// fiftieth, and those that read what nobody has set, where it went wrong.
std::vector<Fixture> wanted_fixtures() {
  std::vector<Fixture> all;
  for (const std::string &assignment : assignment_names(root))
    if (const fs::path folder = root / "grader/tests/submissions" / assignment; fs::exists(folder))
      for (const auto &verdict : fs::directory_iterator(folder))
        for (const auto &name : fs::directory_iterator(verdict.path()))
          all.push_back({assignment, name.path()});
  std::sort(all.begin(), all.end(), [](const Fixture &a, const Fixture &b) { return a.folder < b.folder; });
  if (std::getenv("WARPGRADE_ALL_FIXTURES") != nullptr) return all;
  std::vector<Fixture> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all[i].folder.filename().string();
    if (i % 50 == 0 || name.starts_with("unset_")) some.push_back(all[i]);
  }
  return some;
}

TEST(Threads, DoNotChangeARecordByTheirNumber) {
  for (const Fixture &fixture : wanted_fixtures()) {
    Bench bench(fixture.assignment);
    const std::vector<int> threads = {1, 2, 7, 64};
    const std::vector<std::string> records = bench.records(fixture.folder, threads);
    for (std::size_t i = 1; i < records.size(); ++i)
      EXPECT_EQ(records[i], records[0]) << fixture.folder << " with " << threads[i] << " threads";
  }
}

}  // namespace
}  // namespace warpgrade
