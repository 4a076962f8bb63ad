// Files that Canvas and Moodle exported, filled in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/similar.hpp"
#include "tests/report/a_class.hpp"

namespace warpgrade::report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string canvas_header =
    "\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Homework 5 (77),Homework 6 (78),Assignments "
    "Current "
    "Score\r\n";
const std::string canvas_points = "    Points Possible,,,,,10,100,(read only)\r\n";

std::string canvas(const std::string &rows) {
  return canvas_header + ",,,,,Manual Posting,,\r\n" + canvas_points + rows;
}
Filled fill(const std::string &file, const std::string &column = "Homework 6") {
  return fill_canvas(file, a_class(), {column, ""});
}

std::string refusal(const std::string &file, const std::string &column) {
  try {
    fill(file, column);
  } catch (const CsvError &e) {
    return e.what();
  }
  return "";
}

TEST(Canvas, OneColumnIsFilledAndEveryOtherByteStays) {
  const Filled f = fill(
      canvas("\"Right, A\",501,right,r1,\"S 1, \"\"x\"\"\",9,,88\r\n\"=Absent\",502,s9,absent,S1,,-,0\r\n"));
  EXPECT_EQ(f.text, canvas("\"Right, A\",501,right,r1,\"S 1, \"\"x\"\"\",9,93.5,88\r\n"
                           "\"=Absent\",502,s9,absent,S1,,0,0\r\n"));
  EXPECT_EQ(f.grades, 2u);
}

TEST(Canvas, StudentsAreFoundByIdThenSisUserThenLogin) {
  ClassGrades c = a_class();
  c.students[0].student = "501";
  const Filled f = fill_canvas(canvas("A,501,x,y,S,,,\r\nB,7,501,z,S,,,\r\n"), c, {"Homework 6", ""});
  EXPECT_THAT(f.text, HasSubstr("A,501,x,y,S,,93.5,"));
  EXPECT_THAT(f.text, HasSubstr("B,7,501,z,S,,,"));
  const Filled by_sis =
      fill_canvas(canvas("A,501,x,y,S,,,\r\nB,7,501,z,S,,,\r\n"), c, {"Homework 6", "SIS User ID"});
  EXPECT_THAT(by_sis.text, HasSubstr("B,7,501,z,S,,93.5,"));
}

TEST(Canvas, StudentsMissingOnEitherSideAreListed) {
  const Filled f = fill(canvas("A,1,right,,S,,,\r\n\"Student, Test\",99,,,S,,5,\r\n"));
  EXPECT_THAT(f.notes, Contains(HasSubstr(
                           "5 students of the class not found in the file, so their grades are not in it: "
                           "hostile, absent, bomb, waits, ours")));
  EXPECT_THAT(f.notes,
              Contains("1 student of the file not found in the class, left as they are: Student, Test (99)"));
  EXPECT_THAT(f.text, HasSubstr("\"Student, Test\",99,,,S,,5,"));
}

TEST(Canvas, StudentsNotYetGradedOrReviewedGetNoGrade) {
  const Filled f = fill(canvas("A,1,waits,,S,,,\r\nB,2,ours,,S,,12,\r\nC,3,bomb,,S,,,\r\n"));
  EXPECT_THAT(f.text, HasSubstr("A,1,waits,,S,,,\r\nB,2,ours,,S,,12,\r\nC,3,bomb,,S,,0,\r\n"));
  EXPECT_THAT(f.notes, Contains(HasSubstr("not yet graded, so without a grade: waits")));
  EXPECT_THAT(f.notes, Contains(HasSubstr("an instructor must look at them: ours")));
  EXPECT_THAT(f.notes, Contains(HasSubstr("(archive_refused): bomb")));
}

TEST(Canvas, AStudentWhoFitsSeveralRowsGetsNoGradeInAnyOfThem) {
  const Filled f = fill(canvas("A,1,right,,S,,,\r\nB,2,right,,S,,,\r\n"));
  EXPECT_EQ(f.grades, 0u);
  EXPECT_THAT(f.notes,
              Contains(HasSubstr("fit several rows, or share one with another student, left without a "
                                 "grade: right")));
}

TEST(Canvas, TwoStudentsWhoShareARowGetNoGrade) {
  const Filled f = fill(canvas("A,right,absent,,S,,,\r\n"));
  EXPECT_EQ(f.grades, 0u);
  EXPECT_THAT(f.notes, Contains(HasSubstr("left without a grade: right, absent")));
}

TEST(Canvas, ExcusedStudentsStayExcusedAndChangedGradesAreListed) {
  const Filled f = fill(canvas("A,1,right,,S,,EX,\r\nB,2,absent,,S,,50.00,\r\n"));
  EXPECT_THAT(f.text, HasSubstr("A,1,right,,S,,EX,"));
  EXPECT_THAT(f.notes, Contains(HasSubstr("excused in Canvas (EX), left unchanged: right")));
  EXPECT_THAT(f.notes, Contains(HasSubstr("absent (50 -> 0)")));
}

TEST(Canvas, AColumnThatCanvasWouldInventOrIgnoreIsRefused) {
  const std::string rows = "A,1,right,,S,,,\r\n";
  EXPECT_THAT(refusal(canvas(rows), "Homework 7"), HasSubstr("there is no column 'Homework 7' (there are: "
                                                             "Homework 5 (77), Homework 6 (78))"));
  EXPECT_THAT(refusal(canvas(rows), "Assignments Current Score"), HasSubstr("Canvas computes"));
  EXPECT_THAT(refusal("Student,ID,Section,HW (1),HW (2)\nA,right,S,,\n", "HW"),
              HasSubstr("there are 2 columns"));
  EXPECT_EQ(refusal("Student,ID,Section,HW (1),HW (2)\nA,right,S,,\n", "HW (2)"), "");
  EXPECT_THAT(refusal("Student,ID,Section,HW (1)\n Points Possible,,,(read only)\nA,right,S,\n", "HW"),
              HasSubstr("read only"));
  EXPECT_THAT(refusal("name,grade,x\nA,1,2\n", "x"), HasSubstr("this is not a gradebook exported by Canvas"));
  EXPECT_THAT(refusal("", "x"), HasSubstr("no header"));
}

TEST(Canvas, AnotherMaximumIsSaid) {
  EXPECT_THAT(fill(canvas("A,1,right,,S,,,\r\n"), "Homework 5").notes,
              Contains(HasSubstr("Canvas has 10 points for 'Homework 5 (77)', the class has 100")));
  EXPECT_THAT(fill(canvas("A,1,right,,S,,,\r\n")).notes, Not(Contains(HasSubstr("Canvas has"))));
}

TEST(Canvas, LastAndFirstNamesMayBeApartAndSemicolonsPartTheColumns) {
  const Filled f = fill("LastName;FirstName;ID;SIS Login ID;Section;Homework 6 (78)\nA;B;1;right;S;\n");
  EXPECT_EQ(f.text, "LastName;FirstName;ID;SIS Login ID;Section;Homework 6 (78)\nA;B;1;right;S;93.5\n");
}

const std::string moodle_header =
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be "
    "changed\",\"Last modified "
    "(submission)\",\"Last modified (grade)\",\"Feedback comments\"\n";

std::string moodle_row(const std::string &identifier, const std::string &email, const std::string &grade,
                       const std::string &feedback = "", const std::string &maximum = "100.00",
                       const std::string &changeable = "Yes") {
  return "\"" + identifier + "\",\"A student\"," + email + ",Submitted," + grade + "," + maximum + "," +
         changeable + ",-,-," + feedback + "\n";
}

TEST(Moodle, StudentsAreFoundByParticipantOrAddress) {
  ClassGrades c = a_class();
  c.students[0].student = "3071";
  c.students[2].student = "absent@example.edu";
  const std::string file = moodle_header + moodle_row("Participant 3071", "x@example.edu", "", "kept") +
                           moodle_row("Participant 3072", "hostile@example.edu", "", "kept") +
                           moodle_row("Participant 3073", "absent@example.edu", "", "kept");
  const Filled f = fill_moodle(file, c, {});
  EXPECT_EQ(f.text, moodle_header + moodle_row("Participant 3071", "x@example.edu", "93.5", "kept") +
                        moodle_row("Participant 3072", "hostile@example.edu", "40", "kept") +
                        moodle_row("Participant 3073", "absent@example.edu", "0", "kept"));
  EXPECT_THAT(f.notes, Contains(HasSubstr("3 students with feedback comments already, which stay")));
}

TEST(Moodle, EmptyFeedbackGetsTheVerdictsWithoutMarkupOrFormulas) {
  const Filled f = fill_moodle(moodle_header + moodle_row("Participant 1", "hostile@x", ""), a_class(), {});
  const CsvTable table(f.text);
  ASSERT_EQ(table.rows(), 2u);
  const std::string feedback = table.cell(1, 9);
  EXPECT_TRUE(feedback.starts_with("step0 40/40 accepted<br>step1 0/60 wrong_answer: =cmd(")) << feedback;
  EXPECT_THAT(feedback, Not(HasSubstr("<script>")));
  EXPECT_THAT(feedback, HasSubstr("&lt;script&gt;&amp;"));
  EXPECT_THAT(feedback, Not(HasSubstr("\x1b")));
}

TEST(Moodle, WhatMoodleWouldRefuseIsLeftAndSaid) {
  const std::string file = moodle_header + moodle_row("Participant 1", "right@x", "5", "", "50.00") +
                           moodle_row("Participant 2", "absent@x", "5", "", "100.00", "No") +
                           moodle_row("Participant 3", "waits@x", "5");
  const Filled f = fill_moodle(file, a_class(), {});
  EXPECT_EQ(f.text, file);
  EXPECT_THAT(f.notes, Contains(HasSubstr("which it refuses, left as they are: right (93.5 of 50)")));
  EXPECT_THAT(f.notes, Contains(HasSubstr("cannot be changed in Moodle, left as they are: absent")));
  EXPECT_THAT(f.notes, Contains(HasSubstr("not yet graded, so without a grade: waits")));
}

TEST(Moodle, AWorksheetInAnotherLanguageNeedsItsColumnsNamed) {
  const std::string file =
      "ID,Vollständiger Name,Bewertung,Zuletzt geändert (Bewertung)\nTeilnehmer/in7,A,,-\n";
  ClassGrades c = a_class();
  c.students[0].student = "7";
  try {
    fill_moodle(file, c, {});
    FAIL();
  } catch (const CsvError &e) {
    EXPECT_THAT(e.what(), HasSubstr("--column and --id-column"));
    EXPECT_THAT(e.what(), HasSubstr("Bewertung"));
  }
  EXPECT_THAT(fill_moodle(file, c, {"Bewertung", "ID"}).text, HasSubstr("Teilnehmer/in7,A,93.5,-"));
}

TEST(Moodle, AFileThatMoodleWouldNotTakeIsRefused) {
  EXPECT_THROW(fill_moodle("Identifier,Grade\nParticipant 1,\n", a_class(), {}), CsvError);
  EXPECT_THROW(fill_moodle("", a_class(), {}), CsvError);
}

TEST(Dolos, TheTableHasTheDocumentedColumns) {
  EXPECT_EQ(dolos_csv({{"submissions/a/step0.cpp", "=a", "step0", 1769903999}}),
            "filename,label,created_at,full_name\r\n"
            "submissions/a/step0.cpp,step0,2026-01-31T23:59:59Z,'=a\r\n");
}

}  // namespace
}  // namespace warpgrade::report
