#include "course/name_pattern.hpp"

#include <gtest/gtest.h>

namespace warpgrade::course {
namespace {

std::string refused(const std::string &pattern) {
  try {
    NamePattern{pattern};
  } catch (const PatternError &e) {
    return e.what();
  }
  return "accepted";
}

TEST(NamePattern, TheFirstGroupIsTheStudentWhereNoGroupIsNamed) {
  EXPECT_EQ(NamePattern("([0-9]+)_(hw6)").match("20261234_hw6")->student, "20261234");
}

TEST(NamePattern, NamedGroupsMayComeInAnyOrder) {
  const NamePattern pattern("(hw6|HW6)-(?<attempt>[0-9]+)-(?P<student>[a-z]+)-(?<file>.*)");
  EXPECT_EQ(*pattern.match("hw6-3-jdoe-my.zip"), (NamePattern::Match{"jdoe", "3", "my.zip"}));
}

TEST(NamePattern, GroupsAreCountedAsTheRegularExpressionCountsThem) {
  // A class, an escaped bracket and a group that is not kept come before the student's group.
  const NamePattern pattern(R"([(](?:a|b)\((c)(?<student>[^()]+))");
  EXPECT_EQ(pattern.match("(a(c7")->student, "7");
}

TEST(NamePattern, TheWholeNameHasToFit) {
  const NamePattern pattern("([0-9]+)");
  EXPECT_FALSE(pattern.match("20261234_hw6"));
  EXPECT_FALSE(pattern.match(""));
  EXPECT_FALSE(pattern.match(std::string("20261234\0", 9)));
}

TEST(NamePattern, AnEmptyStudentIsNoMatch) {
  EXPECT_FALSE(NamePattern("([0-9]*)_hw6").match("_hw6"));
}

TEST(NamePattern, IsCaseSensitiveByDefault) {
  EXPECT_FALSE(NamePattern("(s[0-9]+)_hw6").match("S1_HW6"));
  EXPECT_EQ(NamePattern("(s[0-9]+)_hw6", true).match("S1_HW6")->student, "S1");
}

TEST(NamePattern, ANameOfAnyLengthIsAnsweredAndLongOnesNeverFit) {
  // Matched by going back and forth, the first takes 2^255 steps; the second exhausts the stack.
  EXPECT_FALSE(NamePattern("((a+)+)+b").match(std::string(255, 'a')));
  EXPECT_FALSE(NamePattern("(.*)").match(std::string(10'000'000, 'a')));
  EXPECT_TRUE(NamePattern("(.*)").match(std::string(255, 'a')));
  EXPECT_FALSE(NamePattern("(.*)").match(std::string(256, 'a')));
}

TEST(NamePattern, APatternThatIsSlowForAnyNameIsRefused) {
  // Each of the 30 looks through all of the name for each look of the one around it: 255^30 steps.
  std::string nested = "(.*)";
  for (int i = 0; i < 30; ++i) nested = "(?=((a|1)*)*" + nested + ")";
  EXPECT_EQ(refused("(a)" + nested),
            "the pattern looks ahead, with (?= or (?!, which takes too long for names of a student's choice");
  EXPECT_EQ(refused("(?!late)([0-9]+)"), refused("(a)" + nested));
  // A group with two parts in it is 4 steps, and all of them are in a group of 2.
  EXPECT_EQ(refused("((a?){0,12000})"),
            "the pattern repeats too much: about 48002 steps for each character of a name, at most 2000 are "
            "accepted; "
            "are the counts in {} that large?");
  EXPECT_NE(refused("(((a{0,30}){0,30}){0,30})"), "accepted");
  EXPECT_EQ(refused("([0-9]{1,18})_(x{2,}|[a-z]{3,100}\\{y)*[^\\]{9}]*"), "accepted");
  std::string groups = "([0-9]+)";
  for (int i = 0; i < 32; ++i) groups += "(a)";
  EXPECT_EQ(refused(groups), "the pattern has 33 groups, at most 32 are accepted; (?:...) is not counted");
}

TEST(NamePattern, InvalidBytesDoNotFail) {
  const NamePattern pattern("([^_]+)_hw6");
  EXPECT_EQ(pattern.match("\xff\xc3_hw6")->student, "\xff\xc3");
}

TEST(NamePattern, MistakesAreNamed) {
  EXPECT_EQ(
      refused("[0-9]+"),
      "the pattern needs a group for the student's id: (?<student>[0-9]+), or ([0-9]+) as its first group");
  EXPECT_EQ(refused("(?<sudent>[0-9]+)"),
            "the pattern has a group 'sudent'; did you mean student? (known: student, attempt, file, late)");
  EXPECT_EQ(refused("(?<student>a)(?<student>b)"), "the pattern has two groups 'student'");
  EXPECT_EQ(refused("(?<attempt>a)(b)"),
            "the first group of the pattern is 'attempt', and none is 'student'");
  EXPECT_EQ(refused("([0-9]+").find("'([0-9]+' is not an accepted regular expression: "), 0u);
  EXPECT_EQ(refused("(a)\\1").find("'(a)\\1' is not an accepted regular expression: "), 0u);
  EXPECT_EQ(refused("(a)\\18446744073709551615"),
            "the pattern refers to group 18446744073709551615, which does not exist");
  EXPECT_EQ(refused("(" + std::string(1000, 'a') + ")"),
            "the pattern is 1002 bytes long, at most 1000 are accepted");
}

}  // namespace
}  // namespace warpgrade::course
