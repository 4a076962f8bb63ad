// One submission as every report test shows it: a right step, a wrong one, one that does not compile.
#pragma once

#include "report/report.hpp"

namespace warpgrade::report {

struct Sample {
  course::Assignment assignment;
  course::Thresholds thresholds;
  grading::SubmissionRecord record;
  score::Score score;

  Sample() {
    assignment.name = "hw6";
    assignment.title = "Optimizing a matrix product step by step";
    assignment.steps = {step("step1", "Coalesced", 14, 6), step("step2", "Shared memory tiles", 20, 10),
                        step("step3", "2D blocktiling", 25, 15)};
    record = {"hw6",
              "homework",
              42,
              {false, "Warpgrade simulator", "compute_80", "no NVIDIA driver is installed"},
              {}};
    record.steps = {right(), wrong(), broken()};
    score = score::score(assignment, thresholds, record);
  }
  Report report() const {
    return {assignment, thresholds, record, score, "./grade {step} --submission homework"};
  }

 private:
  static course::Step step(const char *id, const char *title, double correct, double fast) {
    course::Step s;
    s.id = id;
    s.problem = problem::find_problem("sgemm");
    s.title = title;
    s.file = std::string(id) + ".cu";
    s.points = {correct, fast};
    return s;
  }
  static judge::CaseVerdict one_case(std::int64_t n, judge::Verdict v, std::uint64_t wrong) {
    judge::CaseVerdict c;
    c.values = {{n, n, n}, {1, 0}};
    c.name = problem::find_problem("sgemm")->case_name(c.values);
    c.verdict = v;
    c.where = "sim";
    c.seed = 42;
    c.comparison.emplace();
    c.comparison->checked = static_cast<std::uint64_t>(n * n);
    c.comparison->wrong = wrong;
    c.comparison->max_error = wrong ? 3.5e5 : 0.06;
    return c;
  }
  static grading::BuildRecord built() {
    grading::BuildRecord b;
    b.ok = true;
    b.seconds = 0.61;
    b.front_end = "nvcc 13.0";
    b.static_shared_bytes = 8192;
    b.why_no_registers = "no machine code was made";
    return b;
  }
  static grading::StepRecord right() {
    grading::StepRecord r;
    r.id = "step1";
    r.title = "Coalesced";
    r.file = "step1.cu";
    r.verdict = judge::Verdict::accepted;
    r.build = built();
    r.build.static_shared_bytes = 0;
    r.cases = {one_case(1, judge::Verdict::accepted, 0), one_case(33, judge::Verdict::accepted, 0)};
    judge::CaseVerdict large;
    large.name = "m=n=k=1023";
    large.values = {{1023, 1023, 1023}, {1, 0}};
    large.waits_for_gpu = true;
    r.cases.push_back(large);
    r.why_no_counters = "the simulator was not asked";
    r.why_no_performance = "there is no GPU here";
    return r;
  }
  static grading::StepRecord wrong() {
    grading::StepRecord r;
    r.id = "step2";
    r.title = "Shared memory tiles";
    r.file = "step2.cu";
    r.verdict = judge::Verdict::out_of_bounds;
    r.also = {judge::Verdict::wrong_answer};
    r.reason = "reads 4 bytes, 8 bytes past the end of A (4356 bytes)";
    r.build = built();
    r.cases = {one_case(32, judge::Verdict::accepted, 0), one_case(33, judge::Verdict::out_of_bounds, 33)};
    r.cases[1].reason = r.reason;
    r.cases[1].comparison->first = {{"C[32, 0]", 0.992161, 0.999025}};
    judge::CaseVerdict hidden = one_case(61, judge::Verdict::wrong_answer, 61);
    hidden.visibility = course::Visibility::hidden;
    hidden.reason = "61 of 3721 elements of C are wrong";
    r.cases.push_back(hidden);
    r.findings = {{"out_of_bounds", "error", "step2.cu", 23,
                   r.reason + " (thread (0, 1, 0) of block (1, 0, 0) in tile)", 33}};
    r.why_no_performance = "the step was not accepted";
    return r;
  }
  static grading::StepRecord broken() {
    grading::StepRecord r;
    r.id = "step3";
    r.title = "2D blocktiling";
    r.file = "step3.cu";
    r.verdict = judge::Verdict::build_error;
    r.reason = "the compiler found errors";
    r.build.seconds = 0.3;
    r.build.log = "step3.cu(7): error: expected a \";\"\n\x1b[2J\rScore: 100/100\n";
    return r;
  }
};

}  // namespace warpgrade::report
