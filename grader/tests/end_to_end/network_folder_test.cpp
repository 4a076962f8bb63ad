// Programs whose files are on a network file system, which network_folder.cpp imitates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;

class NetworkFolder : public ::testing::Test {
 protected:
  CommandResult there(const std::string &program, const std::string &words) const {
    return shell("mkdir -p tmp; WARPGRADE_CACHE=\"$PWD/cache\" TMPDIR=\"$PWD/tmp\" " +
                     std::string("LD_PRELOAD='") + place::network_folder + "' '" + program + "' " + words,
                 course.root());
  }
  /// Names that files which were removed while they were open still have.
  std::size_t left_over() const {
    std::size_t found = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(course.root()))
      found += entry.path().filename().string().starts_with(".nfs");
    return found;
  }
  /// The files of kept builds, each with its inode: another build would leave another one.
  std::map<std::string, ino_t> kept_files() const {
    std::map<std::string, ino_t> found;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(course / "cache")) {
      struct stat facts {};
      if (entry.is_regular_file() && ::stat(entry.path().c_str(), &facts) == 0)
        found[entry.path().string()] = facts.st_ino;
    }
    return found;
  }
  SmallCourse course;
};

TEST_F(NetworkFolder, AStudentGradesAndBuildsAreKept) {
  course.hand_in("me", "mine");
  const std::string words = "step0 --device sim --submission class/me --html report.html";
  const CommandResult first = there(place::grade, words);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("Score: 40/40"));
  EXPECT_TRUE(std::filesystem::exists(course / "report.html"));
  const auto built = kept_files();
  EXPECT_FALSE(built.empty());
  const CommandResult again = there(place::grade, words);
  EXPECT_THAT(again.output, HasSubstr("Score: 40/40"));
  EXPECT_EQ(kept_files(), built) << "the build was kept";
  EXPECT_EQ(left_over(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(course / "tmp"));
}

TEST_F(NetworkFolder, AClassThatCannotBeLockedSaysWhatToDo) {
  course.hand_in("s1", "one");
  const CommandResult run = there(place::gradebook, "run class --assignment hw6 --out out --device sim");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output,
              HasSubstr("gradebook.lock: this file system cannot lock files; use a folder on a local disk"));
}

}  // namespace
}  // namespace warpgrade::tests
