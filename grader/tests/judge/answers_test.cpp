#include "judge/answers.hpp"

#include <gtest/gtest.h>

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

TEST(Answer, OfAFormulaIsRightWhenItIsSoInEveryCase) {
  const Asked asked(Count::flops_per_thread, "129", "257");
  EXPECT_EQ(asked.judged("2*P + 1").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("1 + p + p").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("129").verdict, Verdict::wrong_answer);  // right at 64 alone
  EXPECT_EQ(asked.judged("129").reason, "q: 129 is 129 at n=64 m=64 p=128, the simulator counts 257");
  EXPECT_EQ(asked.judged("2*Q").verdict, Verdict::wrong_answer);
  EXPECT_NE(asked.judged("2*Q").reason.find("there is no 'Q' here"), std::string::npos);
}

TEST(Answer, OfAWordIsReadInAnySpelling) {
  const Asked asked(Count::coalescing, "not applicable", "not applicable");
  EXPECT_EQ(asked.judged("Not_Applicable").verdict, Verdict::accepted);
  EXPECT_EQ(asked.judged("coalesced").verdict, Verdict::wrong_answer);
}

TEST(Answer, ThatIsNotGivenIsOpenAndOneWithoutATruthIsOurFault) {
  Asked asked(Count::flops_per_thread, "1", "1");
  EXPECT_EQ(asked.judged("").verdict, Verdict::not_implemented);
  asked.step.questions[0].facts.pop_back();
  EXPECT_EQ(asked.judged("1").verdict, Verdict::grader_error);
  EXPECT_NE(asked.judged("1").reason.find("gradebook facts course"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::judge
