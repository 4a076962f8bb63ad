// `course` in assignment.yaml: the row of an assignment in the table of the course.
#include "course/syllabus.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "tests/course/edited.hpp"

namespace warpgrade::course {
namespace {

class SyllabusOf : public Edited {
 protected:
  SyllabusOf() : Edited("scan") {}
};

TEST_F(SyllabusOf, AnAssignmentHasWhatItTeachesChaptersAndHours) {
  const auto found = find_syllabus(folder_);
  ASSERT_TRUE(found);
  EXPECT_NE(found->teaches.find("Kogge-Stone"), std::string::npos);
  EXPECT_EQ(found->chapters, std::vector<int>{11});
  EXPECT_GT(found->hours, 0);
}

TEST_F(SyllabusOf, AnAssignmentIsFoundHoweverItIsWritten) {
  const auto before = find_syllabus(folder_);
  replace("assignment.yaml", "course:", "'course':");  // not as a line that begins with the key
  EXPECT_EQ(find_syllabus(folder_), before);
}

TEST_F(SyllabusOf, ADriverIsFoundWithoutReadingTheRest) {
  EXPECT_EQ(find_driver(folder_), read_assignment(folder_).driver);
  replace("assignment.yaml", "course:", "driver: kernels   # a command\ncourse:");
  EXPECT_EQ(find_driver(folder_), "kernels");
}

TEST_F(SyllabusOf, AMistakeIsAtItsLineOfTheFile) {
  replace("assignment.yaml", "hours: 10", "hours: ten");
  const std::string all = read_whole(folder_ / "assignment.yaml");
  const auto line =
      1 + std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.find("ten")), '\n');
  try {
    find_syllabus(folder_);
    FAIL();
  } catch (const ConfigError &e) {
    EXPECT_NE(std::string(e.what()).find("assignment.yaml:" + std::to_string(line) + ":"), std::string::npos)
        << e.what();
  }
}

TEST_F(SyllabusOf, AnAssignmentMayHaveNone) {
  replace("assignment.yaml", "course:", "#");
  for (const char *key : {"  teaches:", "  chapters:", "  hours:"}) replace("assignment.yaml", key, "#");
  EXPECT_EQ(error(), "no error");
  EXPECT_FALSE(find_syllabus(folder_));
}

TEST_F(SyllabusOf, AnAssignmentIsReadStrictly) {
  const std::string file = "assignment.yaml";
  const struct {
    const char *from, *to, *says;
  } mistakes[] = {
      {"hours: 10", "hours: ten", "hours"},
      {"hours: 10", "days: 10", "days"},
      {"chapters: [11]", "chapters: [24]", "23"},
      {"chapters: [11]", "chapters: [11, 10]", "ascend"},
      {"chapters: [11]", "chapters: 11", "chapters"},
      {"\"Kogge-Stone", "\"Kogge | Stone", "one line without '|'"},
  };
  for (const auto &m : mistakes) {
    TearDown();
    SetUp();
    replace(file, m.from, m.to);
    const std::string said = error();
    EXPECT_NE(said.find("assignment.yaml:"), std::string::npos) << m.to << ": " << said;
    EXPECT_NE(said.find(m.says), std::string::npos) << m.to << ": " << said;
  }
}

}  // namespace
}  // namespace warpgrade::course
