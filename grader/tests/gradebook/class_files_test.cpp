// What a class's folder holds besides the store, and what may be written where.
#include "gradebook/class_files.hpp"

#include <gtest/gtest.h>

#include "batch/content.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::gradebook {
namespace {

using tests::Folder;

class ReportsOfAClass : public ::testing::Test {
 protected:
  ReportsOfAClass() {
    for (int i = 0; i < students; ++i) store.take_in(tests::handin("s" + std::to_string(i), "right", ""));
    store.finish_taking_in();
    store.keep({"base", batch::hash_of("right")}, tests::record("base"), 1);
  }
  int reports() const {
    int found = 0;
    for (int i = 0; i < students; ++i)
      found += std::filesystem::exists(folder / ("reports/s" + std::to_string(i) + "/score.json"));
    return found;
  }
  static constexpr int students = 20;
  Folder folder;
  batch::Store store = tests::begun(folder.path());
  course::Assignment a = tests::two_steps();
};

TEST_F(ReportsOfAClass, AnInterruptionStopsAfterTheCurrentStudentAndTheNextRunContinues) {
  int asked = 0;
  EXPECT_FALSE(write_all(store, a, batch::same_rules(a, {}), [&] { return ++asked > 7; }));
  EXPECT_EQ(asked, 8) << "it is asked before each student";
  EXPECT_EQ(reports(), 7);
  EXPECT_EQ(read_whole(folder / "grades.csv"), batch::grades_csv(store, a));
  EXPECT_TRUE(write_all(store, a, batch::same_rules(a, {}), [] { return false; }));
  EXPECT_EQ(reports(), students);
}

TEST_F(ReportsOfAClass, AFolderThatTwoStudentsWouldShareIsSkipped) {
  EXPECT_TRUE(write_all(store, a, batch::same_rules(a, {}), [] { return false; }));
  store.take_in(tests::handin("S1", "right", ""));
  store.finish_taking_in();
  EXPECT_TRUE(write_all(store, a, batch::same_rules(a, {}), [] { return false; }));
  EXPECT_FALSE(std::filesystem::exists(folder / "reports/s1"));
  EXPECT_FALSE(std::filesystem::exists(folder / "reports/S1"));
  for (const char *student : {"s1", "S1"})
    EXPECT_TRUE(
        std::filesystem::exists(folder.path() / "reports" / batch::folder_of(store, student) / "score.json"));
}

TEST(RefuseToReplace, LeavesAFileOfAnotherKindAsItIs) {
  const Folder folder;
  const auto file = folder / "x";
  EXPECT_NO_THROW(refuse_to_replace(file, "a,b", "a table")) << "nothing is there";
  write_whole(file, "");
  EXPECT_NO_THROW(refuse_to_replace(file, "a,b", "a table")) << "nothing is in it";
  write_whole(file, "a,b,c\n");
  EXPECT_NO_THROW(refuse_to_replace(file, "a,b", "a table"));
  for (const char *text : {"a,", "SQLite format 3", "a;b"}) {
    write_whole(file, text);
    EXPECT_THROW(refuse_to_replace(file, "a,b", "a table"), UsageError) << text;
  }
  EXPECT_THROW(refuse_to_replace(folder.path(), "a,b", "a table"), UsageError);
  EXPECT_NO_THROW(refuse_to_replace("/dev/null", "a,b", "a table"));
}

}  // namespace
}  // namespace warpgrade::gradebook
