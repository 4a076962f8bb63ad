// ./gradebook run on what platforms export: archives, honest and hostile, several of one student, and a
// roster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"
#include "tests/take_in/make_archive.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GradebookArchives : public ::testing::Test {
 protected:
  /// The two files of the small course, as they should be.
  static std::vector<batch::Item> right(const std::string &folder = "") {
    const std::filesystem::path solutions = std::filesystem::path(place::root) / "solutions/hw6";
    std::vector<batch::Item> items;
    for (const char *name : {"step0_naive.cu", "step1_coalesced.cu"})
      items.push_back({folder + name, text_of(solutions / name)});
    return items;
  }
  CommandResult run(const std::string &words) const {
    return shell(
        std::string("'") + place::gradebook + "' run " + words + " --assignment hw6 --out out --device sim",
        course.root());
  }
  CommandResult status() const {
    return shell(std::string("'") + place::gradebook + "' status out", course.root());
  }
  std::string grades() const { return text_of(course / "out/grades.csv"); }
  SmallCourse course;
};

const std::string header = "student,step0,step1,score,max_score,status,late\r\n";

TEST_F(GradebookArchives, AreGradedBesideHostileOnesWhichAreRefused) {
  course.write("class/20261111_HW6.zip", batch::pack("zip", right("hw6/")));
  batch::ZipBytes slip;
  for (const batch::Item &item : right()) slip.add(item.path, item.content);
  slip.add("../../escaped", "outside");
  course.write("class/20262222_HW6.zip", slip.bytes());
  const CommandResult r = run("class");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("2 submissions, layout id"));
  EXPECT_EQ(grades(), header + "20261111,40,50,90,100,graded,\r\n20262222,0,0,0,100,archive_refused,\r\n");
  const auto report = nlohmann::json::parse(text_of(course / "out/reports/20262222/score.json"));
  EXPECT_THAT(report["refused"].get<std::string>(), HasSubstr("escaped"));
  EXPECT_FALSE(std::filesystem::exists(course / "escaped"));
}

TEST_F(GradebookArchives, AsOneArchiveOfFoldersAreAClass) {
  std::vector<batch::Item> items = right("20261111/");
  for (const batch::Item &item : right("20262222/")) items.push_back(item);
  items.back().content = "this is no CUDA";
  course.write("class.tar.gz", batch::pack("tar.gz", items));
  const CommandResult r = run("class.tar.gz");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(grades(), header + "20261111,40,50,90,100,graded,\r\n20262222,40,0,40,100,graded,\r\n");
}

TEST_F(GradebookArchives, OfOneStudentCountAsTheNamesSayAndNotAsTheirTimesDo) {
  // Canvas numbers attempts; a copied file's time says nothing.
  course.write("class/alpha_11_1111_hw6.zip", batch::pack("zip", right()));
  auto wrong = right();
  wrong[0].content = "this is no CUDA";
  course.write("class/alpha_11_1112_hw6-1.zip", batch::pack("zip", wrong));
  std::filesystem::last_write_time(course / "class/alpha_11_1111_hw6.zip",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const CommandResult r = run("class --layout canvas");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("1 superseded by later ones"));
  EXPECT_THAT(grades(), HasSubstr(",0,50,50,100,graded")) << "the second attempt does not build step 0";
  EXPECT_THAT(status().output, HasSubstr("1 handin was superseded"));
}

TEST_F(GradebookArchives, AreCheckedAgainstTheRoster) {
  course.write("class/20261111_HW6.zip", batch::pack("zip", right()));
  course.write("class/20269999_HW6.zip", batch::pack("zip", right()));
  course.write("roster.csv", "student\n20261111\n20263333\n");
  const CommandResult r = run("class --roster roster.csv");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("1 of the roster handed in nothing"));
  EXPECT_THAT(grades(), HasSubstr("20263333,0,0,0,100,not_submitted"));
  EXPECT_THAT(grades(), HasSubstr("20269999,40,50,90,100,graded"));
  EXPECT_THAT(status().output, HasSubstr("whose is it: 20269999:"));
  EXPECT_THAT(status().output, Not(HasSubstr("whose is it: 20261111")));
}

}  // namespace
}  // namespace warpgrade::tests
