#include "report/discreet.hpp"

#include <algorithm>

namespace warpgrade::report {

namespace {

bool is_hidden(const judge::CaseVerdict &c) {
  return c.visibility == course::Visibility::hidden;
}

judge::CaseVerdict bare(const judge::CaseVerdict &c, bool any_ran) {
  judge::CaseVerdict shown;
  shown.visibility = course::Visibility::hidden;
  shown.waits_for_gpu = c.waits_for_gpu;
  // Which of them was not run would tell which one took too long.
  shown.skipped = c.skipped && !any_ran;
  const bool known = c.verdict == judge::Verdict::accepted || c.verdict == judge::Verdict::grader_error;
  shown.verdict = known && c.ran() ? c.verdict : judge::Verdict::wrong_answer;
  return shown;
}

/// 0 passed, 1 failed, 2 not judged, 3 did not run.
int place(const judge::CaseVerdict &c) {
  if (!c.ran()) return 3;
  return c.verdict == judge::Verdict::accepted ? 0 : c.verdict == judge::Verdict::grader_error ? 2 : 1;
}

}  // namespace

grading::SubmissionRecord without_secrets(grading::SubmissionRecord record) {
  for (grading::StepRecord &s : record.steps) {
    const bool any_ran = judge::count_hidden(s.cases).ran > 0;
    std::vector<judge::CaseVerdict> hidden;
    for (const judge::CaseVerdict &c : s.cases)
      if (is_hidden(c)) hidden.push_back(bare(c, any_ran));
    std::stable_sort(hidden.begin(), hidden.end(),
                     [](const auto &a, const auto &b) { return place(a) < place(b); });
    std::erase_if(s.cases, is_hidden);
    s.cases.insert(s.cases.end(), hidden.begin(), hidden.end());
  }
  return record;
}

Discreet::Discreet(const Report &r)
    : copy_(r.reveal_hidden ? std::nullopt : std::optional(without_secrets(r.record))),
      report_{r.assignment, r.thresholds, copy_ ? *copy_ : r.record, r.score, r.again, r.reveal_hidden,
              r.not_graded, r.predictions} {}

}  // namespace warpgrade::report
