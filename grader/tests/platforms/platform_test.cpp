// What every platform has to say of itself, whichever there are. What each one reads and writes is tested
// with submissions (tests/take_in) and with grades (tests/report).
#include "platforms/platform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warpgrade::platforms {
namespace {

TEST(Platforms, AreFoundByNamesThatNoOtherHas) {
  std::set<std::string_view> names;
  for (const Platform *p : all()) {
    EXPECT_TRUE(names.insert(p->name).second) << p->name;
    EXPECT_EQ(find(p->name), p);
    EXPECT_FALSE(p->title.empty()) << p->name;
  }
  EXPECT_GE(names.size(), 7u);
  EXPECT_EQ(find("nobody's"), nullptr);
  EXPECT_EQ(find("CANVAS"), nullptr);
}

TEST(Platforms, AcceptGradesInOneFormatOrNone) {
  for (const Platform *p : all()) {
    const Exports &e = p->exports;
    EXPECT_LE((e.fill != nullptr) + (e.of_student != nullptr) + (e.of_class != nullptr), 1) << p->name;
    EXPECT_EQ(e.of_student != nullptr, !e.student_file.empty()) << p->name;
    EXPECT_EQ(e.any(), !e.telling.empty()) << p->name;
    EXPECT_TRUE(e.any() || p->names.pattern != nullptr || p->names.metadata != nullptr ||
                !p->roster.ids.empty() || !p->ended.empty())
        << p->name << " says nothing";
  }
}

TEST(Platforms, ThatWereSwitchedOffNameASuccessorThatTakesGrades) {
  constexpr auto any = [](const Exports &e) { return e.any(); };
  for (const Platform *p : all()) {
    EXPECT_EQ(p->ended.empty(), p->successor.empty()) << p->name;
    if (p->ended.empty()) continue;
    EXPECT_FALSE(p->exports.any()) << p->name;
    EXPECT_EQ(why_not(p->successor, any), "") << p->name;
    EXPECT_NE(why_not(p->name, any).find("'" + std::string(p->successor) + "'"), std::string::npos);
  }
  EXPECT_EQ(why_not("canvas", any), "");
  EXPECT_NE(why_not("blackboard", any).find("'blackboard' is not one of csv, "), std::string::npos);
}

TEST(Platforms, KnowTheirSubmissionsByPatternOrByMetadata) {
  for (const Platform *p : all()) {
    EXPECT_FALSE(p->names.pattern != nullptr && p->names.metadata != nullptr) << p->name;
    EXPECT_EQ(p->names.without_files != nullptr, !p->names.without_files_are.empty()) << p->name;
    for (const RosterColumn &column : p->roster.ids)
      EXPECT_TRUE(std::none_of(column.name.begin(), column.name.end(), [](char c) {
        return c >= 'A' && c <= 'Z';
      })) << column.name;
  }
}

TEST(Platforms, ExportsOfOneFormatBeginAlikeWhateverTheClass) {
  const ClassGrades none{"hw6", "a title", {}};
  ClassGrades one = none;
  one.assignment = "hw7";
  StudentGrades student;
  student.student = "20261234";
  student.steps.emplace_back();
  one.students.push_back(student);
  for (const Platform *p : all()) {
    if (p->exports.of_class == nullptr) continue;
    const std::string first = p->exports.of_class(none), second = p->exports.of_class(one);
    EXPECT_EQ(beginning_of(*p, first), beginning_of(*p, second)) << p->name;
    EXPECT_GE(beginning_of(*p, first).size(), 10u) << p->name;
  }
}

TEST(Platforms, NotesOfAStudentAreInEveryFormatThatHasWordsForStudents) {
  StudentGrades student;
  student.student = "7";
  student.standing = Standing::graded;
  student.max_points = 10;
  student.steps.emplace_back();
  const std::string worksheet =
      "Identifier,Grade,Last modified (grade),Feedback comments\nParticipant 7,,-,\n";
  const auto written = [&](const Platform &p, const StudentGrades &s) -> std::string {
    const ClassGrades one{"hw6", "a title", {s}};
    if (p.exports.of_student) return p.exports.of_student(s);
    if (p.exports.of_class) return p.exports.of_class(one);
    return &p == &moodle ? p.exports.fill(worksheet, one, {}).text : "";
  };
  StudentGrades noted = student;
  noted.notes = {"Dispute 1, answer: See slide 12."};
  const std::set<std::string_view> of_points_alone = {"canvas", "check50", "classroom50"};
  for (const Platform *p : all()) {
    if (!p->exports.any()) continue;
    const bool has = written(*p, noted).find(noted.notes[0]) != std::string::npos;
    EXPECT_EQ(has, !of_points_alone.contains(p->name)) << p->name << "\n" << written(*p, noted);
    EXPECT_EQ(written(*p, student).find(noted.notes[0]), std::string::npos) << p->name;
  }
}

TEST(Platforms, MoodlesOnlineTextsHoldNoFiles) {
  const auto without = moodle.names.without_files;
  EXPECT_TRUE(without("First Student_12_assignsubmission_onlinetext"));
  EXPECT_TRUE(without("First Student_12_ASSIGNSUBMISSION_onlinetext_a.html"));
  EXPECT_FALSE(without("First Student_12_assignsubmission_file_"));
  EXPECT_FALSE(without("First Student_12_assignsubmission_file_x_3_assignsubmission_onlinetext_"));
  EXPECT_FALSE(without("First Student_assignsubmission_onlinetext"));
  EXPECT_FALSE(without("First Student_12_assignsubmission_onlinetexts"));
}

}  // namespace
}  // namespace warpgrade::platforms
