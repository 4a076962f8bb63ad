#include "course/yaml.hpp"

#include <gtest/gtest.h>

#include "course/assignment.hpp"

namespace warpgrade::course {
namespace {

/// The message of the ConfigError that `body` throws.
template <typename Body>
std::string error_of(const Body &body) {
  try {
    body();
  } catch (const ConfigError &e) {
    return e.what();
  }
  return "no error";
}
Yaml yaml(const std::string &text) {
  return Yaml::parse(text, "x.yaml");
}

TEST(Yaml, AnUnknownKeyIsNamedWithItsLineAndTheKnownOnes) {
  EXPECT_EQ(error_of([] {
              yaml("size: 1\ntolerence: 2\n").expect_keys({"size", "tolerance"});
            }),
            "x.yaml:2: unknown key 'tolerence'; did you mean tolerance? (known: size, tolerance)");
}
TEST(Yaml, ARepeatedKeyIsAnErrorThatNamesBothLines) {
  EXPECT_EQ(error_of([] {
              yaml("a: 1\nb: 2\na: 3\n").expect_keys({"a", "b"});
            }),
            "x.yaml:3: key 'a' is given twice, first on line 1");
}
TEST(Yaml, AMissingKeyIsNamed) {
  EXPECT_EQ(error_of([] { yaml("a: 1\n").at("b"); }), "x.yaml:1: 'b' is missing from the file");
}
TEST(Yaml, AnEmptyFileIsAnError) {
  EXPECT_EQ(error_of([] { yaml(""); }), "x.yaml:1: the file is empty");
}
TEST(Yaml, ASecondDocumentIsAnError) {
  EXPECT_EQ(error_of([] { yaml("a: 1\n---\nb: 2\n"); }),
            "x.yaml:2: what was begun before ends, and a second document starts here; one file holds one");
}
TEST(Yaml, ACommaOutsideOfListsIsAnErrorAndNoEndlessLoop) {
  for (const char *text : {", a", "- a\n, b", "[a] b"})
    EXPECT_NE(error_of([&] { yaml(text); }).find("a second document starts here"), std::string::npos) << text;
}
TEST(Yaml, BrokenSyntaxNamesTheLine) {
  EXPECT_EQ(error_of([] { yaml("a: [1, 2\nb: 3\n"); }).substr(0, 25), "x.yaml:2: not valid YAML:");
}
TEST(Yaml, AMissingFileIsAnError) {
  EXPECT_EQ(error_of([] { Yaml::read("no/such.yaml"); }),
            "no/such.yaml:1: the file is missing or cannot be read");
}
TEST(Yaml, AWordIsNoNumber) {
  EXPECT_EQ(error_of([] { yaml("a: ten\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is 'ten', should be a whole number from 1 to 20");
}
TEST(Yaml, ANumberInQuotesIsNoNumber) {
  EXPECT_EQ(error_of([] { yaml("a: \"7\"\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is '7', should be a whole number from 1 to 20");
}
TEST(Yaml, OctalIsRefusedNotReadAsEight) {
  EXPECT_EQ(error_of([] { yaml("a: 010\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is '010', should be a whole number from 1 to 20");
}
TEST(Yaml, NotANumberIsNoTolerance) {
  EXPECT_EQ(error_of([] { yaml("a: .nan\n").at("a").real(0, 1); }),
            "x.yaml:1: 'a' is '.nan', should be a number from 0 to 1");
  EXPECT_EQ(error_of([] { yaml("a: nan\n").at("a").real(0, 1); }),
            "x.yaml:1: 'a' is 'nan', should be a number from 0 to 1");
}
TEST(Yaml, ARangeIsPartOfTheMessage) {
  EXPECT_EQ(error_of([] { yaml("x: 0\na: 99\n").at("a").integer(1, 20); }),
            "x.yaml:2: 'a' is '99', should be a whole number from 1 to 20");
}
TEST(Yaml, AMapWhereAListBelongsIsAnError) {
  EXPECT_EQ(error_of([] { yaml("steps: {a: 1}\n").at("steps").items(); }),
            "x.yaml:1: 'steps' is a map, should be a list with at least one item");
}
TEST(Yaml, AnEmptyListIsAnError) {
  EXPECT_EQ(error_of([] { yaml("steps: []\n").at("steps").items(); }),
            "x.yaml:1: 'steps' is an empty list, should be a list with at least one item");
}
TEST(Yaml, NothingWhereTextBelongsIsAnError) {
  EXPECT_EQ(error_of([] { yaml("title:\n").at("title").text(); }),
            "x.yaml:1: 'title' is nothing, should be text");
}
TEST(Yaml, OnlyTrueAndFalseAreBooleans) {
  EXPECT_TRUE(yaml("a: true\n").at("a").boolean());
  EXPECT_EQ(error_of([] { yaml("a: yes\n").at("a").boolean(); }),
            "x.yaml:1: 'a' is 'yes', should be true or false");
}

}  // namespace
}  // namespace warpgrade::course
