#include "judge/hunt.hpp"

#include <gtest/gtest.h>

namespace warpgrade::judge {
namespace {

const std::string faulty =
    "// answer line:\n"
    "// answer cause:\n"
    "__global__ void k(int n, float *y) {\n"
    "  const int i = threadIdx.x;\n"
    "  if (i > n) return;\n"
    "  y[i] = 1;\n"
    "}\n";  // 7 lines

/// The fault is in line 5.
course::Step step_with_a_fault(std::vector<std::string> causes = {"bounds"}) {
  course::Step step;
  step.file = "h.cu";
  step.hunt.emplace();
  step.hunt->most_changes = 1;
  step.hunt->first_line = step.hunt->last_line = 5;
  step.hunt->causes = std::move(causes);
  return step;
}

std::string answers(const std::string &line, const std::string &cause) {
  return "// answer line:" + line + "\n// answer cause:" + cause + "\n";
}
CaseVerdict line(const std::string &file, const course::Step &step = step_with_a_fault()) {
  return judge_hunt(step, file, faulty).at(0);
}
CaseVerdict cause(const std::string &file, const course::Step &step = step_with_a_fault()) {
  return judge_hunt(step, file, faulty).at(1);
}

TEST(HuntAnswers, AreRightIfTheLineIsOneOfTheFaultsAndTheCauseIsOneThatFits) {
  EXPECT_EQ(line(answers(" 5", " bounds")).verdict, Verdict::accepted);
  EXPECT_EQ(cause(answers(" 5", " bounds")).verdict, Verdict::accepted);
  EXPECT_EQ(line(answers(" 4", " race")).reason, "the fault is not in line 4 of h.cu as you got it");
  EXPECT_EQ(cause(answers(" 4", " race")).reason, "the cause is not \"race\"");
  EXPECT_EQ(cause(answers(" 4", " race"), step_with_a_fault({"atomic", "race"})).verdict, Verdict::accepted);
}

TEST(HuntAnswers, MayLieAnywhereInTheRegionOfTheFault) {
  course::Step step = step_with_a_fault();
  step.hunt->last_line = 6;
  for (const auto &[text, right] : {std::pair(" 4", false), {" 5", true}, {" 6", true}, {" 7", false}})
    EXPECT_EQ(line(answers(text, ""), step).verdict == Verdict::accepted, right) << text;
}

TEST(HuntAnswers, AreReadWhateverTheirLayoutAndTheSpellingOfTheCause) {
  for (const char *text : {"5", "  5  ", "\t5", "5\r"}) EXPECT_EQ(line(answers(text, "")).reason, "") << text;
  const course::Step step = step_with_a_fault({"bank conflict"});
  for (const char *text : {"bank conflict", " Bank-Conflict", "bank_conflict ", "bankconflict"})
    EXPECT_EQ(cause(answers("", text), step).verdict, Verdict::accepted) << text;
  const course::Step british = step_with_a_fault({"uninitialised"});
  EXPECT_EQ(cause(answers("", "uninitialized"), british).verdict, Verdict::accepted);
  EXPECT_EQ(line("  //answer line: 5\n//   answer   cause: bounds\n").verdict, Verdict::accepted);
}

TEST(HuntAnswers, AreNotThereYetWhereTheyAreEmpty) {
  for (const CaseVerdict &v : judge_hunt(step_with_a_fault(), faulty, faulty)) {
    EXPECT_EQ(v.verdict, Verdict::not_implemented);
    EXPECT_EQ(v.reason, "\"// answer " + v.name + ":\" in h.cu is empty");
  }
}

TEST(HuntAnswers, EachMistakeInALineHasItsSentence) {
  const auto says = [](const std::string &text) { return line(answers(text, "")).reason; };
  for (const char *text : {"five", "5-6", "5, 6", "5.0", "h.cu:5", "-", "line 5"})
    EXPECT_EQ(says(text), std::string("\"") + text +
                              "\" is not the number of a line; write one whole number, such as 31");
  for (const char *text : {"0", "8", "-5", "99999999999999999999"})
    EXPECT_EQ(says(text), std::string("h.cu as you got it has lines 1 to 7, and no line ") + text);
  EXPECT_EQ(line("int a;\n").reason,
            "h.cu has no line \"// answer line:\"; the file as you got it has one: put it back");
  EXPECT_EQ(line("// answer lines: 5\n").reason,
            "h.cu has no line \"// answer line:\"; it has \"// answer lines: 5\"; the file as you got it has "
            "one: put it back");
  EXPECT_EQ(line("// answer line: 5\n// answer line: 6\n").reason,
            "h.cu has the line \"// answer line:\" more than once; leave one of them");
}

TEST(HuntAnswers, ACauseThatIsNotInTheListIsNotOneAndTheListIsNamed) {
  const CaseVerdict v = cause(answers("", " bouds"));
  EXPECT_EQ(v.verdict, Verdict::wrong_answer);
  EXPECT_TRUE(v.reason.starts_with(
      "\"bouds\" is not one of the causes; did you mean bounds? (they are: bounds, race, "))
      << v.reason;
  for (const course::Cause &c : course::hunt_causes())
    EXPECT_NE(v.reason.find(c.name), std::string::npos) << c.name;
}

TEST(HuntAnswers, AreLeftToTheCourseWhereTheFaultIsNotKnownUnlessTheyCannotBeRight) {
  const course::Step kit = step_with_a_fault({});
  EXPECT_TRUE(line(answers("5", "race"), kit).left_to_course);
  EXPECT_TRUE(cause(answers("5", "race"), kit).left_to_course);
  EXPECT_FALSE(line(answers("8", ""), kit).left_to_course);
  EXPECT_FALSE(cause(answers("", "haste"), kit).left_to_course);
}

TEST(HuntAnswers, OfAHostileFileAreShownInPart) {
  EXPECT_LT(line(answers(std::string(100'000, 'x'), "")).reason.size(), 200u);
  EXPECT_LT(cause(answers("", std::string(100'000, 'x'))).reason.size(), 400u);
  EXPECT_LT(line("// answer " + std::string(100'000, 'x') + "\n").reason.size(), 300u);
}

std::size_t changed(const std::string &after) {
  return changed_statements(faulty, after, 1000);
}
std::string with(std::string text, const std::string &old, const std::string &fresh) {
  return text.replace(text.find(old), old.size(), fresh);
}

TEST(HuntChanges, CountStatementsAndNeitherLayoutNorCommentsNorBraces) {
  EXPECT_EQ(changed(faulty), 0u);
  EXPECT_EQ(changed(with(faulty, "  if (i > n) return;", "\n\n  // the guard\n  if (i>n)\n{\n  return ;\n}")),
            0u);
  EXPECT_EQ(changed(with(faulty, "  y[i] = 1;", "{ y[i]\n=\n1; }  /* here */")), 0u);
  EXPECT_EQ(changed(answers(" 5", " bounds") + faulty.substr(faulty.find("__global__"))), 0u);
}

TEST(HuntChanges, AreTheLargerNumberOfStatementsThatAreGoneOrNewAtEachPlace) {
  EXPECT_EQ(changed(with(faulty, "i > n", "i >= n")), 1u);
  EXPECT_EQ(changed(with(faulty, "  if (i > n) return;\n", "")), 2u) << "a head and its statement";
  EXPECT_EQ(changed(with(faulty, "  y[i] = 1;", "  y[i] = 1;\n  __syncthreads();\n  y[i] = 2;")), 2u);
  EXPECT_EQ(changed(with(with(faulty, "i > n", "i >= n"), "= 1", "= 2")), 2u);
  EXPECT_EQ(changed(with(with(faulty, "threadIdx.x", "threadIdx.y"), "= 1", "= 2")), 2u);
  EXPECT_EQ(changed_statements("for (int i = 0; i < n; ++i) a[i] = f(b, c);",
                               "for (int i = 1; i < n; i += 2) a[i] = 0;", 1000),
            2u)
      << "the head and its body; the semicolons of a head end nothing";
}

TEST(HuntChanges, DirectivesAndTextsCount) {
  EXPECT_EQ(changed_statements("#define N 4\nint a;\n", "#define N 8\nint a;\n", 9), 1u);
  EXPECT_EQ(changed_statements("#define N 4\nint a;\n", "#define   N   4   // four\n\nint a;\n", 9), 0u);
  EXPECT_EQ(changed_statements("f(\"a b; {\");g();", "f(\"a  b; {\"); g();", 9), 1u);
  EXPECT_EQ(changed_statements("", "", 9), 0u);
  EXPECT_EQ(changed_statements("#define N", "#", 9), 1u);
}

TEST(HuntChanges, OfAFileOfAnotherLengthAreNotCountedOneByOne) {
  std::string longer;
  for (int i = 0; i < 200'000; ++i) longer += "a();";
  EXPECT_EQ(changed_statements("a();", longer, 3), 199'999u);
}

TEST(HuntChanges, BeyondWhatTheHuntAllowsAreAReasonAndUpToThereAreNone) {
  const std::string one = with(faulty, "i > n", "i >= n"), two = with(one, "= 1", "= 2");
  EXPECT_EQ(too_many_changes(step_with_a_fault(), one, faulty), "");
  EXPECT_EQ(
      too_many_changes(step_with_a_fault(), two, faulty),
      "the fix changes 2 or more statements of h.cu; at most 1 may change: undo whatever is not part of the "
      "fix (layout, comments and braces do not count)");
}

}  // namespace
}  // namespace warpgrade::judge
