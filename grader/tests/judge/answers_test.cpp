#include "judge/answers.hpp"

#include <gtest/gtest.h>

#include "judge/seal.hpp"

namespace warpgrade::judge {
namespace {

using course::Count;
using course::Question;

/// A load of B and a store of C in line 2, a store to a tile in line 3 that is 4-way; 10 threads.
simt::Counters counted() {
  simt::Counters c;
  c.fp32_fma = 100, c.fp32_add = 20;
  c.global_load.bytes = 400, c.global_store.bytes = 40;
  auto add = [&](int line, ptx::Space space, bool store, const char *buffer) -> simt::AccessCounters & {
    simt::AccessKey key;
    key.at.file = "k.cu";
    key.at.line = line;
    key.space = space;
    key.store = store;
    key.bytes = 4;
    key.buffer = buffer;
    return c.accesses[key];
  };
  add(2, ptx::Space::global, false, "B").global = {10, 40, 1280, 1280, 40};
  add(2, ptx::Space::global, true, "C").global = {10, 320, 1280, 1280, 40};
  simt::SharedTraffic &tile = add(3, ptx::Space::shared, true, "tile").shared;
  tile.requests = 10, tile.wavefronts = 40, tile.conflicts = 30;
  return c;
}
const std::vector<std::string> source = {"kernel {", "  C[far * i] = B[i];  // (there)", "  tile[i][x] = 1;"};

Question asking(Count count, course::AccessFilter access = {}) {
  Question q;
  q.id = q.ask = "q";
  q.count = count;
  q.access = std::move(access);
  return q;
}
std::string fact(Count count, course::AccessFilter access = {}) {
  return fact_of(asking(count, std::move(access)), counted(), 10, source).value_or("none");
}

TEST(Fact, OfAThreadIsTheWholeKernelsOverItsThreads) {
  EXPECT_EQ(fact(Count::flops_per_thread), "22");
  EXPECT_EQ(fact(Count::global_accesses_per_thread), "11");
  EXPECT_EQ(fact(Count::flops_per_global_access), "2");
  EXPECT_EQ(fact(Count::global_accesses_per_flop), "0.5");
}

TEST(Fact, OfAnAccessIsFoundByItsBufferItsDirectionAndAWordInItsLine) {
  EXPECT_EQ(fact(Count::coalescing, {"", "B", {}}), "coalesced");
  EXPECT_EQ(fact(Count::coalescing, {"(there)", "", true}), "uncoalesced");
  EXPECT_EQ(fact(Count::sectors_per_request, {"(there)", "", true}), "32");
  EXPECT_EQ(fact(Count::coalescing, {"", "tile", {}}), "not applicable");
  EXPECT_EQ(fact(Count::bank_conflicts, {"", "tile", true}), "4");
  EXPECT_EQ(fact(Count::bank_conflicts, {"", "B", {}}), "not applicable");
  EXPECT_EQ(fact(Count::coalescing, {"", "D", {}}), "none");
  EXPECT_EQ(fact(Count::bank_conflicts, {"nowhere", "", {}}), "none");
}

/// One question about a step of the problem pitched, with facts at p = 64 and 128.
struct Asked {
  course::Assignment assignment;
  course::Step step;
  Asked(Count count, const char *at64, const char *at128) {
    assignment.name = "course";
    assignment.steps.emplace_back().id = "k1";
    assignment.steps.back().problem = problem::find_problem("pitched");
    Question q = asking(count);
    q.kernel = "k1";
    for (const std::int64_t p : {64, 128}) {
      q.on.push_back({{64, 64, p, 0, 2, 64, 32, 1}, {}});
      q.facts.push_back({q.on.back(), p == 64 ? at64 : at128});
    }
    step.id = "analysis";
    step.questions = {q};
  }
  CaseVerdict judged(const std::string &answer) const {
    return judge_answers(assignment, step, {{"q", answer}}).at(0);
  }
};

TEST(Answer, OfAFormulaIsCorrectIfItHoldsInEveryCase) {
  const Asked asked(Count::flops_per_thread, "129", "257");
  EXPECT_EQ(asked.judged("2*P + 1").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("1 + p + p").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("129").verdict, Verdict::wrong_answer);  // right only at 64
  EXPECT_EQ(asked.judged("129").reason, "q: 129 is 129 at n=64 m=64 p=128, the simulator counts 257");
  EXPECT_EQ(asked.judged("2*Q").verdict, Verdict::wrong_answer);
  EXPECT_NE(asked.judged("2*Q").reason.find("there is no 'Q' here"), std::string::npos);
}

TEST(Answer, OfAWordIsReadInAnySpelling) {
  const Asked asked(Count::coalescing, "not applicable", "not applicable");
  EXPECT_EQ(asked.judged("Not_Applicable").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("coalesced").verdict, Verdict::wrong_answer);
}

TEST(Answer, ThatCannotBeRightSaysWhatIsAccepted) {
  const Asked word(Count::coalescing, "coalesced", "coalesced"), degree(Count::bank_conflicts, "8", "8");
  EXPECT_EQ(word.judged("yes").verdict, Verdict::wrong_answer);
  EXPECT_EQ(word.judged("yes").reason, "q: \"yes\" is not one of coalesced, uncoalesced and not applicable");
  EXPECT_EQ(degree.judged("many").reason,
            "q: \"many\" is neither a whole number from 1 to 32 nor \"not applicable\"");
  for (const char *answer : {"0", "33", "4.5", "P", "coalesced"})
    EXPECT_NE(degree.judged(answer).reason.find("whole number"), std::string::npos) << answer;
  EXPECT_EQ(degree.judged("2^3").verdict, Verdict::accepted);
  EXPECT_EQ(degree.judged("not applicable").reason, "q: \"not applicable\" is not what the simulator sees");
}

TEST(Answer, IsOpenIfMissingAndOurFaultIfNoTruthIsKnown) {
  Asked asked(Count::flops_per_thread, "1", "1");
  EXPECT_EQ(asked.judged("").verdict, Verdict::not_implemented);
  asked.step.questions[0].facts.pop_back();
  EXPECT_EQ(asked.judged("1").verdict, Verdict::grader_error);
  EXPECT_NE(asked.judged("1").reason.find("gradebook facts course"), std::string::npos);
}

/// The same question as a kit knows it: no facts, and a hash where the course lets a kit check.
Asked in_kit(Asked asked, bool checked) {
  Question &q = asked.step.questions[0];
  if (checked)
    q.sealed = sealed_fact(q, "0123456789abcdef");
  else
    q.left_to_course = true;
  q.facts.clear();
  return asked;
}

TEST(AnswerInAKit, IsLeftToTheCourseWhereTheKitHasNoHash) {
  const Asked asked = in_kit(Asked(Count::bank_conflicts, "8", "8"), false);
  for (const char *answer : {"8", "4", "not applicable"}) {
    EXPECT_TRUE(asked.judged(answer).left_to_course) << answer;
    EXPECT_FALSE(asked.judged(answer).ran()) << answer;
  }
  EXPECT_EQ(asked.judged("").verdict, Verdict::not_implemented);
  EXPECT_EQ(asked.judged("forty").verdict, Verdict::wrong_answer) << "what cannot be right is told at once";
  EXPECT_FALSE(asked.judged("forty").left_to_course);
}

TEST(AnswerInAKit, IsRightByItsHashInAnySpellingAndTellsNoCounts) {
  const Asked formula = in_kit(Asked(Count::global_accesses_per_flop, "1.5", "0.333333333333333"), true);
  EXPECT_EQ(formula.judged("1.5 + (P - 64) * (1/3 - 3/2) / 64").verdict, Verdict::accepted);
  EXPECT_EQ(formula.judged("(P-64)*(1/3-3/2)/64 + 3/2").verdict, Verdict::accepted);
  const CaseVerdict wrong = formula.judged("P/128 + 1");
  EXPECT_EQ(wrong.verdict, Verdict::wrong_answer);
  EXPECT_EQ(wrong.reason, "q: P/128 + 1 is not right");
  EXPECT_NE(formula.judged("P / Q").reason.find("there is no 'Q' here"), std::string::npos);

  const Asked word = in_kit(Asked(Count::coalescing, "not applicable", "not applicable"), true);
  EXPECT_EQ(word.judged("Not_Applicable").verdict, Verdict::accepted);
  EXPECT_EQ(word.judged("coalesced").verdict, Verdict::wrong_answer);
}

TEST(Seal, IsEqualForEqualAnswersToOneQuestionAndDiffersBetweenQuestions) {
  const std::string one = seal("8", "0123456789abcdef"), other = seal("8", "0123456789abcdeg");
  EXPECT_EQ(one, seal("8", "0123456789abcdef"));
  EXPECT_NE(one, other);
  EXPECT_TRUE(opens(one, "8"));
  EXPECT_FALSE(opens(one, "4"));
  EXPECT_THROW(opens("8", "8"), std::runtime_error) << "no hash";
}

}  // namespace
}  // namespace warpgrade::judge
