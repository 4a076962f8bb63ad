#include "viva/sheets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpgrade::viva {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Sheet> one_sheet() {
  quiz::Question q;
  q.kind = "wavefronts", q.topic = "bank conflicts", q.difficulty = 2;
  q.file = "step2.cu", q.line = 7, q.code = "s += t[x] < 3 && y;";
  q.text = "How many?", q.why = "It is so.";
  q.choices = {"8", "{4}", "a=b", "<2>"};
  q.answer = 0;
  q.mistakes = {"", "halved", "mixed up", "a quarter"};
  return {{"20261234", "", {{"step2", q}}, ""}};
}

TEST(VivaSheet, ForTheStudentShowsNoAnswer) {
  const std::string page = to_html("hw6", one_sheet(), Show::questions);
  EXPECT_THAT(page, HasSubstr("<li>8</li>"));
  EXPECT_THAT(page, Not(HasSubstr("It is so.")));
  EXPECT_THAT(page, Not(HasSubstr("halved")));
  EXPECT_THAT(page, Not(HasSubstr("class=\"right\"")));
}

TEST(VivaSheet, ForTheExaminerMarksTheAnswerAndNamesMistakes) {
  const std::string page = to_html("hw6", one_sheet(), Show::answers);
  EXPECT_THAT(page, HasSubstr("<li class=\"right\">8</li>"));
  EXPECT_THAT(page, HasSubstr("(halved)"));
  EXPECT_THAT(page, HasSubstr("A: It is so."));
}

TEST(VivaSheet, KeepsTheStudentsCodeFromBecomingMarkup) {
  for (const Show show : {Show::questions, Show::answers, Show::practice}) {
    const std::string page = to_html("hw6", one_sheet(), show);
    EXPECT_THAT(page, HasSubstr("s += t[x] &lt; 3 &amp;&amp; y;"));
    EXPECT_THAT(page, HasSubstr("&lt;2&gt;"));
  }
}

TEST(VivaSheet, SaysWhyAStudentHasNoQuestions) {
  EXPECT_THAT(to_html("hw6", {{"20261234", "", {}, "no step is right"}}, Show::questions),
              HasSubstr("no step is right"));
}

TEST(VivaGift, HasOneRightAnswerAndEscapesItsOwnSigns) {
  EXPECT_EQ(to_gift("hw6", one_sheet()),
            "$CATEGORY: hw6/20261234\n\n"
            "::20261234 1::[plain]How many?\\nstep2.cu\\:7\\: s +\\= t[x] < 3 && y; {\n"
            "  =8\n"
            "  ~\\{4\\}#halved\n"
            "  ~a\\=b#mixed up\n"
            "  ~<2>#a quarter\n"
            "  ####It is so.\n"
            "}\n\n");
}

TEST(VivaMoodle, GivesAllPointsToTheAnswerAndNoneToTheOthers) {
  const std::string xml = to_moodle_xml("hw6", one_sheet());
  EXPECT_THAT(xml, HasSubstr("<answer fraction=\"100\" format=\"plain_text\"><text>8</text>"));
  EXPECT_THAT(xml, HasSubstr("<answer fraction=\"0\" format=\"plain_text\"><text>&lt;2&gt;</text>"));
  EXPECT_EQ(xml.find("fraction=\"100\""), xml.rfind("fraction=\"100\""));
}

}  // namespace
}  // namespace warpgrade::viva
