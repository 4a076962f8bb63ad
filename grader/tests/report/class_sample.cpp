#include "tests/report/class_sample.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warpgrade::report {

namespace {

/// Rates gather around a few ways to write a kernel, as they do in classes.
double rate(const std::string &step, std::mt19937_64 &random) {
  const auto uniform = [&] { return static_cast<double>(random() % 10000) / 10000; };
  const double spread = 0.82 + 0.3 * (uniform() + uniform() + uniform()) / 3;
  if (step == "step1") return spread * (random() % 4 == 0 ? 2900 : 6800);
  if (step == "step2") return spread * (random() % 5 == 0 ? 5200 : 9000);
  return spread * (random() % 3 == 0 ? 14000 : random() % 3 == 0 ? 20000 : 31000);
}

grading::PerformanceRecord performance(const problem::Case &size, double gflops, double cublas) {
  grading::PerformanceRecord p;
  p.size = size;
  const double flops = problem::find_problem("sgemm")->flops(size);
  p.seconds = times_of(flops, gflops, 20);
  p.library_seconds = times_of(flops, cublas, 20);
  return p;
}

void go_wrong(grading::StepRecord &s, std::mt19937_64 &random) {
  const std::vector<std::pair<judge::Verdict, std::string>> ways = {
      {judge::Verdict::wrong_answer, "61 of 3721 elements of C are wrong"},
      {judge::Verdict::out_of_bounds, "load of 4 bytes, 8 bytes past the end of A"},
      {judge::Verdict::race, "read after write on shared memory Bs: no barrier between the two accesses"},
      {judge::Verdict::build_error, s.file + " does not compile"},
      {judge::Verdict::not_implemented, "it is still the stub"},
      {judge::Verdict::missing, s.file + " is missing"},
      {judge::Verdict::time_limit, "it did not end within 10 s"}};
  const auto &[verdict, reason] = ways[random() % ways.size()];
  s.verdict = verdict;
  s.reason = reason;
  s.performance.reset();
  s.counters.reset();
  s.findings.clear();
  if (verdict == judge::Verdict::out_of_bounds || verdict == judge::Verdict::race)
    s.findings = {{std::string(judge::name_of(verdict)), "error", s.file, 8 + static_cast<int>(random() % 3),
                   reason, 3}};
}

}  // namespace

Class class_sample(const GpuSample &base, std::size_t students) {
  std::mt19937_64 random(6);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < students; ++i) ids.push_back(std::to_string(20260001 + i));
  if (students > 20) {
    ids[3] = "<img src=x onerror=alert(1)>";
    ids[4] = "=cmd|' /C calc'!A0";
    ids[5] = "</script><script>alert(1)</script>";
  }
  const auto names = pseudonyms(ids, {}, random);
  Class c{base.assignment, base.thresholds, "Example GPU", {}};
  for (std::size_t i = 0; i < students; ++i) {
    grading::SubmissionRecord record = base.record;
    const double skill = static_cast<double>(random() % 100) / 100;
    for (grading::StepRecord &s : record.steps) {
      s.verdict = judge::Verdict::accepted;
      s.findings.clear();
      if (s.id != "step0" && random() % 3 != 0) s.counters = base.flawless;
      if (const course::StepThresholds *t = base.thresholds.find(s.id))
        s.performance = performance(t->size, rate(s.id, random),
                                    50100 * (0.99 + 0.0002 * static_cast<double>(random() % 100)));
      const double trouble = s.id == "step4" ? 0.5 : s.id == "step3" ? 0.3 : 0.12;
      if (static_cast<double>(random() % 1000) / 1000 < trouble * (1.6 - skill)) go_wrong(s, random);
    }
    const score::Score score = score::score(base.assignment, base.thresholds, record);
    const Report report{base.assignment, base.thresholds, record, score, "./grade {step}"};
    c.students.push_back(class_student({ids[i], i % 3 == 1 ? fmt::format("Student, Number {}", i) : "",
                                        names.at(ids[i]), i % 50 == 0 ? "gpu.html" : "", "graded"},
                                       report, base.sources));
  }
  return c;
}

}  // namespace warpgrade::report
