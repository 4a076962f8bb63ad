#include "batch/roster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "course/assignment.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> students(Roster roster, const std::vector<std::string> &submitted = {}) {
  roster.choose_key(submitted);
  std::vector<std::string> all;
  for (const Roster::Row &row : roster.rows()) all.push_back(roster.student(row));
  return all;
}

std::string error(const std::string &csv, const std::vector<std::string> &submitted = {}) {
  try {
    students(Roster::parse(csv, "class.csv"), submitted);
  } catch (const course::ConfigError &e) {
    return e.what();
  }
  return "no error";
}

TEST(Roster, OfYourOwnNeedsAColumnStudent) {
  EXPECT_THAT(students(Roster::parse("student,name\n20261234,A\n20265678,B\n", "class.csv")),
              ElementsAre("20261234", "20265678"));
  EXPECT_THAT(students(Roster::parse("\xef\xbb\xbfName;Student\r\nA;20261234\r\n\r\n", "class.csv")),
              ElementsAre("20261234"));
}

TEST(Roster, QuotesHoldSeparatorsLineFeedsAndQuotes) {
  EXPECT_THAT(students(Roster::parse("name,student\n\"Student, \"\"J\"\"\nx\",20261234\n", "class.csv")),
              ElementsAre("20261234"));
}

TEST(Roster, MayBeCanvassGradebookWithoutItsRowsOfPoints) {
  const Roster roster = Roster::parse(
      "Student,ID,SIS User ID,SIS Login ID,Section,HW6 (77)\n"
      ",,,,,Manual Posting\n"
      "    Points Possible,,,,,100\n"
      "\"Student, First\",102030,20261234,fstudent,001,\n"
      "\"Pupil, Second\",102031,20265678,spupil,001,\n",
      "class.csv");
  EXPECT_THAT(students(roster), ElementsAre("102030", "102031"));
  EXPECT_THAT(students(roster, {"102030"}), ElementsAre("102030", "102031"));
  EXPECT_THAT(students(roster, {"20265678"}), ElementsAre("20261234", "20265678"));
  EXPECT_THAT(students(roster, {"FSTUDENT", "spupil"}), ElementsAre("fstudent", "spupil"));
  EXPECT_EQ(roster.find("20265678"), roster.find("102031"));
  EXPECT_EQ(roster.find("Student, First"), nullptr);
}

TEST(Roster, MayBeMoodlesWorksheet) {
  const Roster roster = Roster::parse(
      "Identifier,Full name,Email address,Status,Grade\nParticipant 123456,First "
      "Student,fstudent@example.edu,,\n",
      "class.csv");
  EXPECT_THAT(students(roster, {"123456"}), ElementsAre("123456"));
  EXPECT_NE(roster.find("Participant 123456"), nullptr);
}

TEST(Roster, MayBeGradescopes) {
  const Roster roster = Roster::parse(
      "First Name,Last Name,SID,Email,Sections\nFirst,Student,20261234,fstudent@example.edu,\n", "class.csv");
  EXPECT_THAT(students(roster), ElementsAre("20261234"));
  EXPECT_THAT(students(roster, {"fstudent@example.edu"}), ElementsAre("fstudent@example.edu"));
}

TEST(Roster, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(error("name,mark\nA,1\n"),
              StartsWith("class.csv:1: no column says who a student is; 'student' was expected"));
  EXPECT_EQ(error("student\n1\n2\n1\n"), "class.csv:4: '1' is on the roster twice, first on line 2");
  EXPECT_EQ(error("student\n1\n\"2\n"), "class.csv:3: a quote begins in this row and never ends");
  EXPECT_EQ(error("name,student\nA,\n"), "class.csv:2: this row has no id in any of these columns: student");
  EXPECT_EQ(error(""), "class.csv:1: the file is empty, a header was expected");
  EXPECT_EQ(error("student\n"), "class.csv:1: the roster has a header but no students");
  EXPECT_EQ(error("sid,email\n1,a@b\n,c@d\n", {"1"}),
            "class.csv:3: this row has no id in the column 'sid', which the submissions use");
}

/// "student<tab>name" and one row, as a spreadsheet saves "Unicode text".
std::string unicode_text(bool big) {
  std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
  for (const char16_t c : std::u16string_view(u"student\tname\r\n1004\tRen\u00e9 \U0001f600\r\n")) {
    const char low = static_cast<char>(c & 0xff), high = static_cast<char>(c >> 8);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

TEST(Roster, IsReadInUtf16AsSpreadsheetsSaveIt) {
  for (const bool big : {false, true})
    for (const bool marked : {true, false}) {
      const std::string bytes = unicode_text(big).substr(marked ? 0 : 2);
      const Roster roster = Roster::parse(bytes, "class.txt");
      EXPECT_THAT(students(roster), ElementsAre("1004"));
      EXPECT_EQ(roster.rows().at(0).name, "Ren\xc3\xa9 \xf0\x9f\x98\x80");
    }
  EXPECT_THAT(error(unicode_text(false) + "x"), StartsWith("class.csv:3: this is UTF-16 that is damaged"));
}

TEST(Roster, OfAnotherEncodingSaysWhichBytesAndHowToSaveIt) {
  EXPECT_EQ(error("student,name\n1004,Ren\xe9\n"),
            "class.csv:2: this is not UTF-8: the byte 0xe9 follows '1004,Ren'. It may be Windows-1252, "
            "Latin-1 or another encoding of letters with accents. Save it as UTF-8: in Excel, 'Save As' and "
            "the type 'CSV UTF-8'; in LibreOffice, 'Save As' with 'Edit filter settings' and the character "
            "set 'Unicode (UTF-8)'");
  EXPECT_THAT(error("PK\x03\x04"), StartsWith("class.csv:1: this is a spreadsheet or another zip file"));
  EXPECT_THAT(error(std::string("\xff\xfe\0\0s\0\0\0", 8)), StartsWith("class.csv:1: this is UTF-32."));
}

TEST(Roster, AnIdInTwoRowsFindsNeither) {
  const Roster roster = Roster::parse("sid,username\n1,2\n2,3\n", "class.csv");
  EXPECT_EQ(roster.find("2"), nullptr);
  EXPECT_NE(roster.find("3"), nullptr);
}

TEST(Roster, ContainsNames) {
  const auto name = [](const std::string &csv) { return Roster::parse(csv, "class.csv").rows().at(0).name; };
  EXPECT_EQ(name("student,name\n1,First Student\n"), "First Student");
  EXPECT_EQ(name("Student,ID\n\"Student, First\",1\n"), "Student, First");
  EXPECT_EQ(name("Identifier,Full name\nParticipant 1,First Student\n"), "First Student");
  EXPECT_EQ(name("First Name,Last Name,SID\nFirst,Student,1\n"), "First Student");
  EXPECT_EQ(name("student\n1\n"), "");
}

}  // namespace
}  // namespace warpgrade::batch
