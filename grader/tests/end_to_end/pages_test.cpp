// ./grade --html and ./gradebook report, as a person types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "batch/store.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Pages : public ::testing::Test {
 protected:
  CommandResult gradebook(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' " + words, course.root());
  }
  SmallCourse course;
};

TEST_F(Pages, ReportWritesDashboardLeaderboardAndAPageAStudent) {
  course.hand_in("good", "one");
  course.write("class/partly/step0_naive.cu", course.solution("step0_naive.cu"));
  course.write("class/partly/step1_coalesced.cu", "<img src=x onerror=alert(1)>");
  ASSERT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  const CommandResult r = gradebook("report out");
  EXPECT_EQ(r.status, 0) << r.output;
  const std::string board = text_of(course / "out/class.html");
  EXPECT_THAT(board, HasSubstr("<a href=\"reports/good/report.html\">good</a>"));
  EXPECT_THAT(board, HasSubstr("build_error"));
  const std::string page = text_of(course / "out/reports/partly/report.html");
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(text_of(course / "out/leaderboard.html"), Not(HasSubstr("partly")));
}

TEST_F(Pages, UngradedStepsAreNeitherWrongNorHeldAndHaveNoPage) {
  course.hand_in("good", "one");
  ASSERT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  {
    batch::Store store(course / "out", batch::Store::Access::change);
    batch::Handin late;
    late.student = "late";
    late.source = "late.zip";
    late.files.push_back({"step0_naive.cu", "something new"});
    store.take_in(late);
    store.finish_taking_in();
  }
  const CommandResult r = gradebook("report out");
  EXPECT_EQ(r.status, 0) << r.output;
  const std::string board = text_of(course / "out/class.html");
  EXPECT_THAT(board, HasSubstr("not yet graded</span>"));
  EXPECT_THAT(board, Not(HasSubstr("grader_error")));
  EXPECT_THAT(board, Not(HasSubstr("reports/late")));
}

TEST_F(Pages, DrawnPseudonymsStayAndNewStudentsGetNewOnes) {
  course.hand_in("a", "one");
  ASSERT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  ASSERT_EQ(gradebook("report out").status, 0);
  const std::string before = text_of(course / "out/pseudonyms.json");
  ASSERT_EQ(gradebook("report out").status, 0);
  EXPECT_EQ(text_of(course / "out/pseudonyms.json"), before);
  course.hand_in("b", "one");
  ASSERT_EQ(gradebook("run class --assignment hw6 --out out --device sim").status, 0);
  ASSERT_EQ(gradebook("report out").status, 0);
  const std::string line_of_a = before.substr(before.find("\"a\""), before.rfind('"') - before.find("\"a\""));
  EXPECT_THAT(text_of(course / "out/pseudonyms.json"), HasSubstr(line_of_a));
  EXPECT_THAT(text_of(course / "out/pseudonyms.json"), HasSubstr("\"b\""));
  course.write("out/pseudonyms.json", "{");
  const CommandResult broken = gradebook("report out");
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.output, HasSubstr("pseudonyms.json: no table of names"));
}

TEST_F(Pages, FilesOfSeveralStudentsAreNamedAndEveryStudentReadsTheirPseudonym) {
  course.hand_in("a", "one");
  course.hand_in("b", "two");  // the same code, with another comment
  course.write("class/c/step0_naive.cu", text_of(course / "class/a/step1_coalesced.cu"));  // renamed
  std::string other_text = text_of(course / "class/a/step0_naive.cu");  // the same code of the compiler
  const std::size_t sum = other_text.find("sum += ");
  ASSERT_NE(sum, std::string::npos);
  other_text.replace(sum, 7, "sum = sum + ");
  course.write("class/f/step0_naive.cu", other_text);
  course.write("class/d/step0_naive.cu", text_of(course / "starter/hw6/step0_naive.cu"));
  course.write("class/e/step0_naive.cu", text_of(course / "starter/hw6/step0_naive.cu"));
  const CommandResult ran = gradebook("run class --assignment hw6 --out out --device sim");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output,
              HasSubstr("3 of the files were handed in by several students: 'gradebook status out' names"));
  const std::string status = gradebook("status out").output;
  EXPECT_THAT(status, HasSubstr("the same code, with other comments or spaces: a, b (step0_naive.cu)\n"));
  EXPECT_THAT(status, HasSubstr("the same code, with other comments or spaces: a (step1_coalesced.cu), "
                                "b (step1_coalesced.cu), c (step0_naive.cu)\n"));
  EXPECT_THAT(
      status,
      HasSubstr("different text, of which the compiler makes the same code; for a short kernel that is "
                "to be expected: a, b, f (step0_naive.cu)\n"));
  EXPECT_THAT(status, Not(HasSubstr("d, e"))) << "both handed in the starter";
  ASSERT_EQ(gradebook("report out").status, 0);
  EXPECT_THAT(text_of(course / "out/class.html"), HasSubstr("a, b (step0_naive.cu): the same code"));
  const auto names = nlohmann::json::parse(text_of(course / "out/pseudonyms.json"));
  for (const char *student : {"a", "b"}) {
    const std::string page = text_of(course / ("out/reports/" + std::string(student) + "/report.html"));
    EXPECT_THAT(page,
                HasSubstr("On the leaderboard of the class: <strong>" + names[student].get<std::string>()));
  }
}

}  // namespace
}  // namespace warpgrade::tests
