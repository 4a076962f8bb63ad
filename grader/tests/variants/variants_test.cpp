#include "variants/variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "base/usage.hpp"
#include "course/assignment.hpp"

namespace warpgrade::variants {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const fs::path course_root = WARPGRADE_ROOT;

Value value_of(const std::string &name, std::vector<Edit> edits = {}) {
  return {name, "It is " + name + ".", std::move(edits)};
}
/// Two types times three operations.
Variants six() {
  const Edit to_int{{"*.cu"}, true, false, {{"float", "int"}}, "f:1"};
  const Edit to_max{{"a.cu"}, false, false, {{"x + y", "max(x, y)"}}, "f:2"};
  const Edit to_min{{"a.cu"}, false, false, {{"x + y", "min(x, y)"}}, "f:3"};
  return {"toy",
          {{"type", {value_of("float"), value_of("int", {to_int})}},
           {"does", {value_of("sum"), value_of("max", {to_max}), value_of("min", {to_min})}}}};
}

TEST(Variants, AreAllCombinationsEachOnce) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < six().size(); ++i) names.insert(six().name_of(six().at(i)));
  EXPECT_THAT(names, ElementsAre("type=float does=max", "type=float does=min", "type=float does=sum",
                                 "type=int does=max", "type=int does=min", "type=int does=sum"));
}

TEST(Variants, AreReadFromTheirNamesWithParametersInAnyOrder) {
  for (std::size_t i = 0; i < six().size(); ++i)
    EXPECT_EQ(six().parse(six().name_of(six().at(i))), six().at(i));
  EXPECT_EQ(six().parse("does=min type=int"), six().parse("type=int does=min"));
  EXPECT_EQ(six().parse("does=min"), six().parse("type=float does=min"));
}

std::string why_not(std::string_view name) {
  try {
    six().parse(name);
  } catch (const UsageError &e) {
    return e.what();
  }
  return "";
}
TEST(Variants, SayWhatThereIsInsteadOfAnUnknownChoice) {
  EXPECT_EQ(why_not("does=mx"), "'does' has no value 'mx' (there are: sum, max, min)");
  EXPECT_EQ(why_not("size=3"),
            "'size=3' chooses nothing in a variant of toy (there are: type=float|int, does=sum|max|min)");
}

TEST(Variants, OfAStudentFollowFromIdAndSecretAlone) {
  const Variant one = variant_of(six(), "student-1", "secret");
  EXPECT_EQ(variant_of(six(), "student-1", "secret"), one);
  EXPECT_EQ(variant_of(six(), "Student-1", "secret"), one) << "ids are the same in upper and lower case";
  int differ = 0;
  for (int i = 0; i < 60; ++i)
    differ += variant_of(six(), std::to_string(i), "secret") != variant_of(six(), std::to_string(i), "other");
  EXPECT_GT(differ, 40) << "of 60, 50 are expected to differ";
}

TEST(Variants, FollowFromHmacSha256) {
  // printf 'warpgrade variant 1\nsums\nada' | openssl dgst -sha256 -hmac secret
  // begins with e5b499bc1cb6382, which is 4 modulo 6
  EXPECT_EQ(variant_of(six(), "Ada", "secret"), six().at(4));
}

TEST(Variants, AreGivenAboutEquallyOften) {
  std::map<Variant, int> times;
  constexpr int students = 6000;
  for (int i = 0; i < students; ++i) ++times[variant_of(six(), "s" + std::to_string(i), "secret")];
  ASSERT_EQ(times.size(), 6u);
  // 1000 each, with a standard deviation of sqrt(6000 * 1/6 * 5/6) = 29
  for (const auto &[variant, count] : times) EXPECT_NEAR(count, 1000, 4 * 29);
}

TEST(VariantEdits, AreMadeInTheFilesThatTheyName) {
  Texts texts = {{"a.cu", "float f = x + y; floats"}, {"b.cu", "float x + y"}, {"c.h", "float"}};
  EXPECT_THAT(edit(six(), six().parse("type=int does=max"), texts), IsEmpty());
  EXPECT_EQ(texts["a.cu"], "int f = max(x, y); floats") << "words are whole";
  EXPECT_EQ(texts["b.cu"], "int x + y");
  EXPECT_EQ(texts["c.h"], "float");
}

TEST(VariantEdits, OfTheFirstValuesChangeNothing) {
  Texts texts = {{"a.cu", "float x + y"}};
  const Texts before = texts;
  EXPECT_THAT(edit(six(), six().at(0), texts), IsEmpty());
  EXPECT_EQ(texts, before);
}

TEST(VariantEdits, OfCodeExchangeNamesAndLeaveCommentsAlone) {
  const Edit exchange{{"*.cu"}, false, false, {}, "f:1", {{"row", "col"}, {"col", "row"}, {"a", "b"}}};
  const Variants all{"toy", {{"by", {value_of("rows"), value_of("columns", {exchange})}}}};
  Texts texts = {{"a.cu", "x[row * a + col];  // a row\nrow0 / col \"a row\" row"}};
  EXPECT_THAT(edit(all, all.parse("by=columns"), texts), IsEmpty());
  EXPECT_EQ(texts["a.cu"], "x[col * b + row];  // a row\nrow0 / row \"a row\" col");
  texts = {{"a.cu", "nothing // row"}};
  EXPECT_THAT(edit(all, all.parse("by=columns"), texts), ElementsAre("f:1"));
}

TEST(VariantEdits, ThatChangeNothingAreNamedUnlessTheyAreOptional) {
  Texts texts = {{"a.cu", "double x + y"}};
  EXPECT_THAT(edit(six(), six().parse("type=int does=max"), texts), ElementsAre("f:1"));
  Variants all = six();
  all.parameters[0].values[1].edits[0].optional = true;
  EXPECT_THAT(edit(all, all.parse("type=int"), texts), IsEmpty());
}

TEST(VariantMarks, AreTakenOffAsTheyWerePutOn) {
  for (const std::string content : {"", "int a;", "int a;\n", "a \\", "// ==== variant: x=y ====\n"}) {
    const Unmarked both = unmarked(marked(content, "a.cu", "operation=sum"));
    EXPECT_EQ(both.content, content);
    EXPECT_EQ(both.variant, "operation=sum");
  }
}

TEST(VariantMarks, OfAStudentNeitherCrashNorCountWhereThereAreNoVariants) {
  for (const std::string end :
       {" ====\n", "// ==== variant: ====\n", "// ==== variant:  ====\n", "// ==== variant: x=y ====\n"}) {
    const std::string content = "int a;\n" + end;
    const Unmarked taken = unmarked(without_a_mark(content, "a.cu"));
    EXPECT_EQ(taken.variant, "") << end;
    EXPECT_EQ(taken.content, content) << end;
    EXPECT_EQ(unmarked(end).variant, "") << end;
  }
  EXPECT_EQ(unmarked("int a;\n// ==== variant: ====\n").content, "int a;\n// ==== variant: ====\n");
  EXPECT_EQ(without_a_mark("int a;\n", "a.cu"), "int a;\n");
}

TEST(VariantPages, BeginWithWhatTheVariantAsksFor) {
  EXPECT_EQ(edited_page(six(), six().at(0), "<h1>A</h1><h2>Goal</h2>"),
            "<h1>A</h1><p><strong>Your variant.</strong> It is float. It is sum.</p>\n<h2>Goal</h2>");
}

TEST(VariantPages, LeaveOutTheParagraphsThatEditsHide) {
  Variants all = six();
  all.parameters[0].values[1].edits = {
      {{"handout.html"}, false, false, {{"<p><b>Of floats.</b>", "<p hidden>"}}, "f:4"}};
  const std::string page = "<h2>A</h2>\n<p><b>Of floats.</b> The <i>base</i> says so.</p>\n<p>Last.</p>\n";
  EXPECT_THAT(edited_page(all, all.parse("type=float"), page), HasSubstr("The <i>base</i> says so."));
  EXPECT_EQ(edited_page(all, all.parse("type=int"), page),
            "<p><strong>Your variant.</strong> It is int. It is sum.</p>\n<h2>A</h2>\n<p>Last.</p>\n");
}

TEST(VariantSecrets, AreDrawnOnceForEachAssignmentAndReadByTheirOwnerAlone) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "variants.secret";
  EXPECT_EQ(secret_of(file, "hw6"), std::nullopt);
  Variants hw6 = six(), reduction = six();
  hw6.assignment = "hw6", reduction.assignment = "reduction";
  const std::string one = secret_or_new(file, hw6), other = secret_or_new(file, reduction);
  EXPECT_EQ(one.size(), 64u) << "256 bits in hexadecimal";
  EXPECT_NE(one, other);
  EXPECT_EQ(secret_or_new(file, hw6), one);
  EXPECT_EQ(secret_of(file, "reduction"), other);
  EXPECT_EQ(fs::status(file).permissions() & fs::perms::mask, fs::perms::owner_read | fs::perms::owner_write);
}

TEST(VariantSecrets, AreRefusedForOtherParametersOrValuesUntilANewOneIsDrawn) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "variants.secret";
  Variants all = six();
  const std::string one = secret_or_new(file, all);
  all.parameters[0].values[1].edits.clear();
  all.parameters[1].values[1].says = "Other words.";
  EXPECT_EQ(secret_or_new(file, all), one) << "who has which variant depends on names alone";
  std::swap(all.parameters[1].values[1], all.parameters[1].values[2]);
  try {
    secret_or_new(file, all);
    FAIL();
  } catch (const UsageError &e) {
    EXPECT_THAT(e.what(), HasSubstr("variants.secret:2: the parameters or values in variants.yaml of toy"));
    EXPECT_THAT(e.what(), HasSubstr("'gradebook kit toy --roster FILE --new-secret'"));
  }
  const std::string other = secret_or_new(file, all, true);
  EXPECT_NE(other, one);
  EXPECT_EQ(secret_or_new(file, all), other);
  EXPECT_THAT(read_whole(file), HasSubstr("\n# replaced: toy " + one));
}

TEST(VariantSecrets, WithoutAListOfValuesAreTaken) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "variants.secret";
  write_whole(file, "toy 0011");
  EXPECT_EQ(secret_or_new(file, six()), "0011");
  EXPECT_NE(secret_or_new(file, six(), true), "0011") << "a last line without an end is no obstacle";
  EXPECT_THAT(read_whole(file), HasSubstr("# replaced: toy 0011\ntoy "));
}

class VariantFile : public ::testing::Test {
 protected:
  std::string mistake(const std::string &yaml) const {
    fs::create_directories(folder_);
    write_whole(folder_ / "assignment.yaml", "assignment: toy\nvariants: own.yaml  # for instructors\n");
    write_whole(folder_ / "own.yaml", yaml);
    try {
      read_variants(folder_);
    } catch (const course::ConfigError &e) {
      const std::string what = e.what();
      return what.substr(what.find("own.yaml"));
    }
    return "";
  }
  Scratch scratch_;
  fs::path folder_ = scratch_.path() / "toy";
};

TEST_F(VariantFile, IsReadOnlyIfTheAssignmentNamesIt) {
  fs::create_directories(folder_);
  write_whole(folder_ / "assignment.yaml", "assignment: toy\n");
  write_whole(folder_ / variants_file, "no YAML: of: ours");
  EXPECT_FALSE(read_variants(folder_).has_value());
}

TEST_F(VariantFile, IsMissedWhereTheAssignmentNamesIt) {
  fs::create_directories(folder_);
  write_whole(folder_ / "assignment.yaml", "assignment: toy\nvariants: own.yaml\n");
  try {
    read_variants(folder_);
    FAIL();
  } catch (const course::ConfigError &e) {
    EXPECT_THAT(e.what(), HasSubstr("assignment.yaml:2: there is no "));
  }
}

TEST_F(VariantFile, HasAKeyThatIsALineOfItsOwn) {
  EXPECT_EQ(without_key("a: 1\nvariants: own.yaml  # why\n  variants: b"), "a: 1\n  variants: b");
  EXPECT_EQ(without_key("a: 1\n"), "a: 1\n");
}

TEST_F(VariantFile, IsRefusedWithTheLineOfAMistake) {
  const std::string head = "assignment: toy\nvariants:\n  type:\n    float: {says: F.}\n";
  EXPECT_EQ(mistake("assignment: other\nvariants: {}\n"),
            "own.yaml:1: this is 'other', but the folder is 'toy'");
  EXPECT_EQ(mistake(head), "own.yaml:3: 'type' needs at least two values");
  EXPECT_EQ(mistake(head + "    int: {says: I.}\n"), "own.yaml:5: 'edits' is missing from 'int'");
  EXPECT_EQ(mistake(head + "    Int: {says: I., edits: [{in: [a], texts: {a: b}}]}\n"),
            "own.yaml:5: 'Int' is not a lower-case word");
  EXPECT_EQ(mistake(head + "    int: {says: I., edits: [{in: [a]}]}\n"),
            "own.yaml:5: an edit needs 'texts', 'words' or 'code', and only one of them");
  EXPECT_EQ(mistake(head + "    int: {says: I., edits: [{in: [a], texts: {a: b}}]}\n"), "");
}

/// The course of each variant of an assignment of ours.
class OurVariants : public ::testing::TestWithParam<const char *> {
 protected:
  const Variants all_ = read_variants(course_root / "assignments" / GetParam()).value();
  void for_each(const std::function<void(const fs::path &course, const std::string &name)> &look) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Scratch scratch;
      write_course(course_root, all_, all_.at(i), scratch.path());
      look(scratch.path(), all_.name_of(all_.at(i)));
    }
  }
};

TEST_P(OurVariants, AreAtLeast24) {
  EXPECT_GE(all_.size(), 24u);
}

TEST_P(OurVariants, AreAssignmentsWithTheSameStepsAndPoints) {
  const course::Assignment whole = course::read_assignment(course_root / "assignments" / GetParam());
  for_each([&](const fs::path &course, const std::string &name) {
    const fs::path folder = course / "assignments" / GetParam();
    const course::Assignment a = course::read_assignment(folder);
    EXPECT_FALSE(course::read_all_thresholds(folder, a).empty());
    EXPECT_FALSE(fs::exists(folder / variants_file)) << "students would read what others have";
    ASSERT_EQ(a.steps.size(), whole.steps.size());
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
      EXPECT_EQ(a.steps[i].id, whole.steps[i].id) << name;
      EXPECT_EQ(a.steps[i].file, whole.steps[i].file) << name;
      EXPECT_EQ(a.steps[i].points, whole.steps[i].points) << name;
    }
  });
}

TEST_P(OurVariants, AskForDifferentProblems) {
  std::set<std::string> asked;
  for_each([&](const fs::path &course, const std::string &) {
    const course::Assignment a = course::read_assignment(course / "assignments" / GetParam());
    std::string problems;
    for (const course::Step &step : a.steps) problems += std::string(step.problem->name()) + " ";
    asked.insert(problems);
  });
  EXPECT_EQ(asked.size(), all_.size());
}

TEST_P(OurVariants, OfTheFirstValuesAreTheFilesAsTheyAre) {
  const Scratch scratch;
  write_course(course_root, all_, all_.at(0), scratch.path());
  for (const char *folder : {"starter", "solutions", "assignments"})
    for (const auto &entry : fs::recursive_directory_iterator(scratch.path() / folder / GetParam()))
      if (entry.is_regular_file()) {
        EXPECT_EQ(read_whole(entry.path()),
                  without_key(read_whole(course_root / entry.path().lexically_relative(scratch.path()))));
      }
}

/// Of those with at most one value that is not the first: edits of one parameter do not depend on the others.
TEST_P(OurVariants, HaveTheStarterThatTheirSolutionStandsFor) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Variant v = all_.at(i);
    if (v.size() - static_cast<std::size_t>(std::count(v.begin(), v.end(), 0u)) > 1) continue;
    const Scratch scratch;
    write_course(course_root, all_, v, scratch.path());
    const auto quoted = [](const fs::path &path) { return "'" + path.string() + "'"; };
    const std::string again = quoted(scratch.path() / "again");
    const std::string command =
        quoted(course_root / "tools/make-starter") + " " + quoted(scratch.path() / "solutions" / GetParam()) +
        " " + again + " && diff -r " + again + " " + quoted(scratch.path() / "starter" / GetParam());
    EXPECT_EQ(std::system(command.c_str()), 0) << all_.name_of(v);
  }
}

INSTANTIATE_TEST_SUITE_P(Assignments, OurVariants, ::testing::Values("hw6", "reduction"));

}  // namespace
}  // namespace warpgrade::variants
