#include "authoring/lint_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/scratch.hpp"

namespace warpgrade::authoring {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LintFiles, FindAnEquivalentChangeThatFitsTheSolutionNoMore) {
  const Scratch scratch;
  namespace fs = std::filesystem;
  const fs::path root = WARPGRADE_ROOT;
  for (const char *folder : {"assignments", "solutions"}) {
    fs::create_directories(scratch.path() / folder);
    fs::copy(root / folder / "warmup", scratch.path() / folder / "warmup", fs::copy_options::recursive);
  }
  const fs::path file = scratch.path() / "assignments/warmup/equivalent.yaml";
  write_whole(file,
              "assignment: warmup\n"
              "equivalent:\n"
              "  - {kind: 'comparison: lets one more through', because: this one fits}\n"
              "  - {line: no such line, because: nobody knows}\n");
  const course::Assignment a = course::read_assignment(scratch.path() / "assignments/warmup");
  EXPECT_THAT(entries_that_fit_nothing(scratch.path(), a),
              ElementsAre(HasSubstr("equivalent.yaml:4: no change that 'gradebook harden' makes fits")));
}

}  // namespace
}  // namespace warpgrade::authoring
