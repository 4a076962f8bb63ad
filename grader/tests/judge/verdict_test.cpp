#include "judge/verdict.hpp"

#include <gtest/gtest.h>

namespace warpgrade::judge {
namespace {

problem::Comparison compared(std::uint64_t wrong) {
  problem::Comparison c;
  c.checked = 100;
  c.wrong = wrong;
  return c;
}
run::Run completed() {
  run::Run r;
  r.end = run::End::completed;
  return r;
}
simt::Diagnostic diagnostic(simt::Code code, simt::Severity severity = simt::Severity::error) {
  simt::Diagnostic d;
  d.code = code;
  d.severity = severity;
  d.kernel = "tile(float*)";
  d.here = {{3, 0, 0}, {1, 2, 0}, {"step2.cu", 23}};
  d.message = "reads 4 bytes past the end of A";
  return d;
}

TEST(Verdict, ACompletedRunWithoutWrongElementsIsAccepted) {
  EXPECT_EQ(judge_run(completed(), compared(0)).verdict, Verdict::accepted);
}
TEST(Verdict, ARunThatWasNotComparedIsOurFailure) {
  EXPECT_EQ(judge_run(completed(), std::nullopt).verdict, Verdict::grader_error);
}
TEST(Verdict, ComparingNothingIsNeverAPass) {
  const problem::Comparison none;
  EXPECT_EQ(judge_run(completed(), none).verdict, Verdict::grader_error);
}
TEST(Verdict, ACaseWithoutOutputHasNothingToCompare) {
  EXPECT_EQ(judge_run(completed(), problem::Comparison(), false, {}, false).verdict, Verdict::accepted);
}
TEST(Verdict, AMemoryErrorComesBeforeTheWrongAnswerItCauses) {
  run::Run r = completed();
  r.diagnostics = {diagnostic(simt::Code::race), diagnostic(simt::Code::out_of_bounds)};
  const RunVerdict v = judge_run(r, compared(7));
  EXPECT_EQ(v.verdict, Verdict::out_of_bounds);
  EXPECT_EQ(v.also, (std::vector<Verdict>{Verdict::race, Verdict::wrong_answer}));
}
TEST(Verdict, WarningsAndRemarksAreListedButDecideNothing) {
  run::Run r = completed();
  r.diagnostics = {diagnostic(simt::Code::race, simt::Severity::info)};
  const RunVerdict v = judge_run(r, compared(0));
  EXPECT_EQ(v.verdict, Verdict::accepted);
  EXPECT_EQ(v.findings.size(), 1u);
}
TEST(Verdict, ABarrierErrorThatStoppedTheRunIsNotCalledOutOfBounds) {
  run::Run r;
  r.end = run::End::fault;
  r.diagnostics = {diagnostic(simt::Code::barrier_divergence)};
  EXPECT_EQ(judge_run(r, std::nullopt).verdict, Verdict::barrier_error);
}
TEST(Verdict, AFaultThatTheGpuReportsIsOutOfBounds) {
  run::Run r;
  r.end = run::End::fault;
  r.message = "an illegal memory access";
  EXPECT_EQ(judge_run(r, std::nullopt).verdict, Verdict::out_of_bounds);
}
TEST(Verdict, OverwrittenGuardsAreOutOfBounds) {
  run::Run r = completed();
  r.guards_written = {"C: 4 bytes past the end were overwritten"};
  EXPECT_EQ(judge_run(r, compared(0)).verdict, Verdict::out_of_bounds);
}
TEST(Verdict, AChangedInputComesBeforeTheWrongAnswer) {
  problem::Comparison c = compared(3);
  c.changed_inputs = {"the read-only matrix A (4 elements)"};
  EXPECT_EQ(judge_run(completed(), c).verdict, Verdict::input_changed);
}
TEST(Verdict, ARaceOnAnInputCountsAsWritingIt) {
  run::Run r = completed();
  r.diagnostics = {diagnostic(simt::Code::race)};
  r.diagnostics[0].buffer = "A";
  const RunVerdict written = judge_run(r, compared(0), false, {"A", "B"});
  EXPECT_EQ(written.verdict, Verdict::input_changed);
  EXPECT_EQ(written.reason, "A is an input, and the kernel writes it");
  EXPECT_EQ(written.findings.at(0).code, "input_changed");
  EXPECT_TRUE(written.also.empty());
  r.diagnostics.push_back(diagnostic(simt::Code::race));
  r.diagnostics[1].buffer = "C";
  EXPECT_EQ(judge_run(r, compared(0), false, {"A", "B"}).verdict, Verdict::race) << "there is another race";
}
TEST(Verdict, UnsupportedCodeIsTheStudentsFailure) {
  run::Run r;
  r.end = run::End::unsupported;
  r.diagnostics = {diagnostic(simt::Code::unsupported)};
  r.diagnostics[0].message = "unsupported PTX instruction nanosleep.u32 (PTX line 33)";
  const RunVerdict alone = judge_run(r, std::nullopt);
  EXPECT_EQ(alone.verdict, Verdict::device_error);
  EXPECT_EQ(alone.reason,
            "the simulator cannot run this: unsupported PTX instruction nanosleep.u32 (PTX line 33); if this "
            "line has no inline assembly, tell the course staff");
  EXPECT_EQ(alone.findings[0].line, 23);
}
TEST(Verdict, NamesAreThoseOfTheDesignAndReadBack) {
  for (const char *name :
       {"accepted", "wrong_answer", "input_changed", "out_of_bounds", "race", "barrier_error",
        "uninitialized_read", "launch_error", "device_error", "rule_violation", "bad_plan", "time_limit",
        "crashed", "build_error", "not_implemented", "missing", "grader_error"}) {
    ASSERT_TRUE(verdict_of(name)) << name;
    EXPECT_EQ(name_of(*verdict_of(name)), name);
  }
}

TEST(Join, TheGpuConfirmsWhatTheSimulatorAccepted) {
  CaseVerdict c;
  join(c, judge_run(completed(), compared(0)), "sim");
  join(c, judge_run(completed(), compared(0)), "gpu");
  EXPECT_EQ(c.verdict, Verdict::accepted);
  EXPECT_EQ(c.where, "sim and gpu");
}
TEST(Join, ARaceThatOnlyTheSimulatorSeesOverridesACorrectAnswer) {
  run::Run racy = completed();
  racy.diagnostics = {diagnostic(simt::Code::race)};
  CaseVerdict c;
  join(c, judge_run(racy, compared(0)), "sim");
  join(c, judge_run(completed(), compared(0)), "gpu");
  EXPECT_EQ(c.verdict, Verdict::race);
}
TEST(Join, TheGpuDecidesWhatTheSimulatorCannotRun) {
  run::Run unknown;
  unknown.end = run::End::unsupported;
  CaseVerdict c;
  join(c, judge_run(unknown, std::nullopt, true), "sim");
  join(c, judge_run(completed(), compared(0)), "gpu");
  EXPECT_EQ(c.verdict, Verdict::accepted);
  CaseVerdict wrong;
  join(wrong, judge_run(unknown, std::nullopt, true), "sim");
  join(wrong, judge_run(completed(), compared(7)), "gpu");
  EXPECT_EQ(wrong.verdict, Verdict::wrong_answer);
}
TEST(Finding, NamesThreadBlockAndKernel) {
  const Finding f = finding(diagnostic(simt::Code::out_of_bounds));
  EXPECT_EQ(f.file, "step2.cu");
  EXPECT_EQ(f.line, 23);
  EXPECT_EQ(f.message, "reads 4 bytes past the end of A (thread (3, 0, 0) of block (1, 2, 0) in tile)");
}
TEST(Finding, NamesTheKernelAsALaunchDoesWithoutItsParameters) {
  simt::Diagnostic d = diagnostic(simt::Code::race);
  const std::string start = "reads 4 bytes past the end of A (thread (3, 0, 0) of block (1, 2, 0) in ";
  d.kernel = "void tile<8, (Kind)1>(float const*, void (*)(int))";
  EXPECT_EQ(finding(d).message, start + "tile<8, (Kind)1>)");
  d.kernel = "(anonymous namespace)::tile(int)";
  EXPECT_EQ(finding(d).message, start + "(anonymous namespace)::tile)");
  d.kernel = "tile";  // extern "C"
  EXPECT_EQ(finding(d).message, start + "tile)");
}

simt::Diagnostic found(simt::Code code, int line, const char *buffer, std::uint32_t thread) {
  simt::Diagnostic d = diagnostic(code);
  d.here = {{thread, 0, 0}, {0, 0, 0}, {"k.cu", line}};
  d.buffer = buffer;
  return d;
}
std::vector<Finding> findings_of(std::vector<simt::Diagnostic> diagnostics) {
  run::Run r = completed();
  r.diagnostics = std::move(diagnostics);
  return judge_run(r, compared(0)).findings;
}

TEST(Consequence, FollowsInTheSameBufferTheSameLineAndTheSameThread) {
  const auto all = findings_of({found(simt::Code::race, 7, "tile", 0),                   // the cause
                                found(simt::Code::uninitialized_read, 9, "tile", 1),     // its buffer
                                found(simt::Code::uninitialized_read, 7, "sums", 2),     // its line
                                found(simt::Code::out_of_bounds, 11, "C", 0),            // its thread
                                found(simt::Code::uninitialized_read, 12, "sums", 3)});  // none of them
  const Origin cause{"race", "k.cu", 7};
  EXPECT_EQ(all[0].follows, std::nullopt);
  for (const int i : {1, 2, 3}) EXPECT_EQ(all[static_cast<std::size_t>(i)].follows, cause) << i;
  EXPECT_EQ(all[4].follows, std::nullopt);
}
TEST(Consequence, OfAConsequenceBelongsToTheFirstCause) {
  const auto all =
      findings_of({found(simt::Code::race, 7, "tile", 0), found(simt::Code::uninitialized_read, 9, "tile", 1),
                   found(simt::Code::out_of_bounds, 9, "tile", 1)});
  EXPECT_EQ(all[2].follows, (Origin{"race", "k.cu", 7}));
}
TEST(Consequence, DoesNotIncludeARaceThatNeedsItsOwnBarrier) {
  simt::Diagnostic first = found(simt::Code::race, 9, "tile", 0),
                   second = found(simt::Code::race, 20, "tile", 0),
                   turned = found(simt::Code::race, 7, "tile", 1);
  first.cure = second.cure = turned.cure = simt::Cure::barrier;
  first.other = simt::Side{{}, {}, {"k.cu", 7}};
  second.other = simt::Side{{}, {}, {"k.cu", 9}};
  turned.other = simt::Side{{}, {}, {"k.cu", 9}};
  const auto all = findings_of({first, second, turned});
  EXPECT_EQ(all[1].follows, std::nullopt) << "other lines: another barrier";
  EXPECT_EQ(all[2].follows, (Origin{"race", "k.cu", 9})) << "the same two accesses, in the other order";
}
TEST(Consequence, IsTheReadBeforeAnotherThreadsWriteAndNotTheRace) {
  // Without a barrier the reader comes first: it finds no value, and the race shows when the other one writes.
  const auto all = findings_of(
      {found(simt::Code::uninitialized_read, 9, "tile", 0), found(simt::Code::race, 7, "tile", 0)});
  EXPECT_EQ(all[0].follows, (Origin{"race", "k.cu", 7}));
  EXPECT_EQ(all[1].follows, std::nullopt);
}
TEST(Consequence, DoesNotIncludeABarrierThatSomeThreadsMiss) {
  EXPECT_EQ(
      findings_of({found(simt::Code::race, 7, "tile", 0), found(simt::Code::barrier_divergence, 9, "", 0)})[1]
          .follows,
      std::nullopt);
}
TEST(Consequence, IsAnErrorAndFollowsFromOne) {
  simt::Diagnostic warning = found(simt::Code::race, 7, "tile", 0),
                   later = found(simt::Code::race, 7, "tile", 0);
  warning.severity = simt::Severity::warning;
  EXPECT_EQ(findings_of({warning, later})[1].follows, std::nullopt);
  EXPECT_EQ(findings_of({later, warning})[1].follows, std::nullopt);
}

TEST(Describe, CountsLocatesAndNamesWhatIsNotFinite) {
  problem::Comparison c = compared(12);
  c.located = "row 3";
  c.not_finite = 2;
  c.never_written = 1;
  EXPECT_EQ(describe(c),
            "12 of 100 elements of C are wrong: row 3; 2 not finite (NaN or infinite); 1 still holds the old "
            "value");
  c.cause = "alpha is not applied";
  EXPECT_EQ(
      describe(c),
      "12 of 100 elements of C are wrong: alpha is not applied; 2 not finite (NaN or infinite); 1 still "
      "holds the old value");
}
TEST(Describe, SaysAllWhenEveryElementIsWrong) {
  problem::Comparison c = compared(100);
  c.located = "every element";
  EXPECT_EQ(describe(c), "all 100 elements of C are wrong");
  c.wrong = c.checked = 1;
  EXPECT_EQ(describe(c), "the only element of C is wrong");
}

}  // namespace
}  // namespace warpgrade::judge
