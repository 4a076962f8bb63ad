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
            "x.yaml:2: a second document starts here; a file may contain only one");
}
TEST(Yaml, ACommaOutsideOfListsIsAnErrorAndNoEndlessLoop) {
  for (const char *text : {", a", "- a\n, b", "[a] b"})
    EXPECT_NE(error_of([&] { yaml(text); }).find("a second document starts here"), std::string::npos) << text;
}
TEST(Yaml, BrokenSyntaxNamesTheLine) {
  EXPECT_EQ(error_of([] { yaml("a: 1\n}\n"); }).substr(0, 25), "x.yaml:2: not valid YAML:");
}
TEST(Yaml, AMistakeThatTheParserNoticesLaterIsNamedWithItsOwnLine) {
  // The mistake is in line 3 of each; line 4 and what follows are right.
  const std::string before = "steps:\n  - id: step0\n", after = "    file: a.cu  # text\n    more: [1, 2]\n";
  const auto said = [&](const std::string &line) {
    return error_of([&] { yaml(before + line + "\n" + after); });
  };
  const std::string place = "x.yaml:3: ", invalid = place + "not valid YAML: ";
  for (const char *line :
       {"    title Naive", "    title:Naive", "    title \"Naive\"", "    title", "    title 'Naive'"})
    EXPECT_EQ(said(line), invalid + "a key needs ': ' between it and its value") << line;
  for (const char *line : {"    points: {correct: 10", "    points: {correct: 10  # of 20 }"})
    EXPECT_EQ(said(line), invalid + "the '{' of this line is never closed") << line;
  EXPECT_EQ(said("    on: [1, {a: b}"), invalid + "the '[' of this line is never closed");
  EXPECT_EQ(said("    title: \"Naive"),
            place + "the quotation mark of this line is not closed before the next key");
  EXPECT_EQ(said("    title: 'It''s"),
            place + "the quotation mark of this line is not closed before the next key");
  EXPECT_EQ(said("      title: Naive"), invalid + "this line is indented further than the one above");
  EXPECT_NE(said("    title: Naive: a start").find(invalid + "a second ': ' in one line"), std::string::npos);
  EXPECT_NE(said("    title: @naive").find(invalid + "text that begins with '@' needs"), std::string::npos);
  EXPECT_EQ(said("   title: Naive"), invalid + "the indentation of this line fits none of the lines above");
  EXPECT_EQ(said("    title: Naive}"), "no error") << "text, to YAML";
  EXPECT_EQ(said("    points: {a: 1}}"), invalid + "this line closes a bracket that is not open");
  EXPECT_EQ(error_of([] { yaml("steps:\n  -id: step0\n    title: Naive\n"); }),
            "x.yaml:2: not valid YAML: the '-' of a list needs a space after it");
  EXPECT_EQ(error_of([] { yaml("a: 1\n\n# text\nsteps\n\n# text\n  - id: b\n    c: 1\n"); }),
            "x.yaml:4: not valid YAML: a key needs ': ' between it and its value");
}
TEST(Yaml, TextThatOnlyLooksLikeSuchAMistakeIsRead) {
  for (const char *text :
       {"a: it's 5' long\nb: 1\n", "a: \"two\n  lines\"\nb: 1\n", "a: say {x} and [y\nb: 1\n",
        "a: |\n  \"key: 1\n  [key: 2\nb: 1\n", "a: {b: 1,\n    c: 2}\nb: 1\n", "a: 'x: y'\nb: 1\n",
        "a: \"\\\"\"\nb: 1\n", "a: x#{\nb: 1 # \"\n", "- a: 1\n  b: \"x\"\n- a: 2\n"})
    EXPECT_EQ(error_of([&] { yaml(text); }), "no error") << text;
}
TEST(Yaml, AMissingFileIsAnError) {
  EXPECT_EQ(error_of([] { Yaml::read("no/such.yaml"); }),
            "no/such.yaml:1: the file is missing or cannot be read");
}
TEST(Yaml, AWordIsNotANumber) {
  EXPECT_EQ(error_of([] { yaml("a: ten\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is 'ten', should be a whole number from 1 to 20");
}
TEST(Yaml, ANumberInQuotesIsNotANumber) {
  EXPECT_EQ(error_of([] { yaml("a: \"7\"\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is '7', should be a whole number from 1 to 20");
}
TEST(Yaml, OctalIsRefusedNotReadAsEight) {
  EXPECT_EQ(error_of([] { yaml("a: 010\n").at("a").integer(1, 20); }),
            "x.yaml:1: 'a' is '010', should be a whole number from 1 to 20");
}
TEST(Yaml, NaNIsNotATolerance) {
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
