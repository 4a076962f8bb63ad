#include "tests/report/alike_sample.hpp"

#include <fmt/format.h>

namespace warpgrade::report {

namespace {

judge::CaseVerdict wrong_everywhere(std::int64_t n) {
  judge::CaseVerdict c;
  c.values = {{n, n, n}, {1, 0}};
  c.name = problem::find_problem("sgemm")->case_name(c.values);
  c.verdict = judge::Verdict::wrong_answer;
  c.where = "sim";
  c.seed = 42;
  problem::Comparison &p = c.comparison.emplace();
  const auto elements = static_cast<std::uint64_t>(n * n);
  p.checked = p.wrong = elements;
  p.max_error = 1e5;
  p.located = "every element";
  p.first = {{"C[0, 0]", 0.5, 0.25}};
  const std::int64_t parts = std::min(n, problem::WrongMap::most_parts);
  p.map = {n, n, parts, parts, std::vector<std::uint32_t>(static_cast<std::size_t>(parts * parts))};
  for (std::int64_t row = 0; row < parts; ++row)
    for (std::int64_t col = 0; col < parts; ++col)
      p.map.wrong[static_cast<std::size_t>(row * parts + col)] =
          static_cast<std::uint32_t>(p.map.elements(row, col));
  c.reason = judge::describe(p);
  return c;
}

}  // namespace

AlikeSample::AlikeSample() {
  record.device = {false, "Warpgrade simulator", "compute_80", "no NVIDIA driver is installed"};
  for (grading::StepRecord &s : record.steps) {
    s.performance.reset();
    s.why_no_performance = "there is no GPU here";
  }
  grading::StepRecord &wrong = record.steps[2];
  const judge::CaseVerdict right = wrong.cases.front();
  wrong.cases.clear();
  for (const std::int64_t n : {2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129})
    wrong.cases.push_back(wrong_everywhere(n));
  wrong.cases.push_back(right);
  wrong.reason = wrong.cases.front().reason;
  // The last step does what step3 does: their points coincide, as those of step0 and step1 do.
  record.steps[4] = record.steps[3];
  record.steps[4].id = "step4";
  record.steps[4].title = assignment.steps[4].title;
  record.steps[4].file = "step4.cu";
  bench.clear();
  score = score::score(assignment, thresholds, record);
}

}  // namespace warpgrade::report
