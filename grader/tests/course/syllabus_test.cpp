// `course` in assignment.yaml: the row of an assignment in the table of the course.
#include "course/syllabus.hpp"

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
