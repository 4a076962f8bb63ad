// What to look at next in a step: places in the student's source with a reason, most important first. Shared
// by the reports for people. Internal to report.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace warpgrade::report {

/// "PASS", "FAIL", "OPEN" (nothing to judge yet), "HELD" (we failed).
std::string_view badge_of(judge::Verdict);
/// The same for a step; "WAIT" if nothing is wrong and some answers are left to the course.
std::string_view badge_of(const grading::StepRecord &);
/// The verdict's name; "complete" if the badge is "WAIT".
std::string_view verdict_in_words(const grading::StepRecord &);

struct Fix {
  std::string file;    ///< untrusted; empty: no place
  int line = 0;        ///< 0: no line
  std::string reason;  ///< untrusted: sentences
  std::uint64_t count = 1;
  bool wrong = true;                   ///< else it only costs points for counters or speed
  std::string code = {};               ///< "race", of a finding
  std::vector<Fix> consequences = {};  ///< what may follow from it
  bool operator==(const Fix &) const = default;
};

/// For a wrong step: its errors, those of its verdict first, or the compiler's findings. For an accepted step
/// that can gain points: the advice of explain/ on the lines that lose them.
std::vector<Fix> fixes(const grading::StepRecord &, const score::StepScore &);

/// "race in line 24, out_of_bounds in line 30": the consequences of a fix in a few words; untrusted.
std::string consequences_in_words(const Fix &);

/// Threads may leave before a barrier; but if something is wrong, that is usually the reason. Then it is the
/// first of fixes().
bool is_cause(const judge::Finding &);

/// Whether this reader may see only the verdict.
bool secret(const Report &, const judge::CaseVerdict &);
/// "wrong_answer", "waits for a GPU", "not run"; of a hidden case that is secret "passed" or "failed".
std::string outcome_of(const Report &, const judge::CaseVerdict &);
/// "m=n=k=129", or "hidden case 2".
std::vector<std::string> case_names(const Report &, const grading::StepRecord &);
/// The case that explains the step's verdict best: the smallest that shows it; for wrong answers, the
/// smallest that is not wrong everywhere. Null if none may be shown.
const judge::CaseVerdict *telling_case(const Report &, const grading::StepRecord &);

/// Report::again for one step, and with `explain` in it; untrusted.
std::string again(const Report &, const std::string &step);
std::string explain_again(const Report &, const std::string &step);

}  // namespace warpgrade::report
