// The table of the course in README.md is what the YAML files of the assignments give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
const fs::path repository = fs::path(place::root).lexically_normal();
const std::string opening = "<!-- course: ./gradebook table -->\n", closing = "<!-- /course -->";

CommandResult table(const std::string &words = "") {
  return shell(std::string("'") + place::gradebook + "' table " + words, repository);
}

TEST(CourseTable, InTheReadmeIsTheOneOfTheYamlFiles) {
  const std::string readme = text_of(repository / "README.md");
  const std::size_t begin = readme.find(opening), end = readme.find(closing);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos);
  const CommandResult r = table();
  ASSERT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(readme.substr(begin + opening.size(), end - begin - opening.size()), r.output)
      << "'./gradebook table --into README.md' rewrites it";
}

TEST(CourseTable, HasARowForEveryAssignmentThatHasAHandout) {
  const std::string rows = table().output;
  for (const auto &entry : fs::directory_iterator(repository / "handouts"))
    if (entry.path().extension() == ".md") {
      const std::string page = entry.path().stem().string(), name = page.substr(0, page.find('.'));
      const std::string after = page == name ? " `" + name + "`" : "";  // a translation is named after it
      EXPECT_THAT(rows, HasSubstr("](handouts/" + page + ".md)" + after))
          << "assignments/" << name << "/assignment.yaml has no 'course'";
    }
}

TEST(CourseTable, GoesBetweenTheMarksOfAFileAndNowhereElse) {
  std::string name = (fs::temp_directory_path() / "table-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path file = fs::path(name) / "page.md";
  const auto into = [&] { return table("--pages --into '" + file.string() + "'"); };
  std::ofstream(file) << "before\n" << opening << "old\n" << closing << "\nafter\n";
  ASSERT_EQ(into().status, 0) << into().output;
  EXPECT_EQ(text_of(file), "before\n" + opening + table("--pages").output + closing + "\nafter\n");
  EXPECT_THAT(text_of(file), HasSubstr("](scan.html)"));
  std::ofstream(file) << "no marks\n";
  const CommandResult refused = into();
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("the table goes between the lines"));
  EXPECT_EQ(text_of(file), "no marks\n");
  fs::remove_all(name);
}

}  // namespace
}  // namespace warpgrade::tests
