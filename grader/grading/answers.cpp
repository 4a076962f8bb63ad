// A file of answers: read, and held against what is known. Nothing is built, nothing runs.
#include "judge/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/files.hpp"
#include "grading/step_grader.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::uintmax_t most_bytes = 1 << 16;

/// Empty where there is no regular file that can be read.
std::optional<std::string> text_of(const std::filesystem::path &file) try {
  const RegularFile opened(file);
  std::string text(most_bytes + 1, '\0');
  text.resize(opened.read(0, text));
  return text;
} catch (const std::system_error &) {
  return std::nullopt;
}

}  // namespace

StepRecord grade_answers(const course::Assignment &a, const course::Step &step,
                         const std::filesystem::path &submission) {
  StepRecord r;
  r.id = step.id;
  r.title = step.title;
  r.file = step.file;
  r.build.why_no_registers = r.why_no_counters = r.why_no_performance = "this step is an answer file";
  const auto text = text_of(step.source_in(submission));
  if (!text) {
    r.verdict = judge::Verdict::missing;
    r.reason = step.file + " is missing";
    return r;
  }
  r.build.ok = true;
  try {
    r.cases = judge::judge_answers(a, step, course::read_answers(*text, step.file, step.questions));
  } catch (const course::ConfigError &e) {
    r.verdict = judge::Verdict::wrong_answer;
    r.reason = e.what();
    return r;
  }
  const auto is = [](judge::Verdict v) {
    return [v](const judge::CaseVerdict &c) { return c.ran() && c.verdict == v; };
  };
  const auto open = std::count_if(r.cases.begin(), r.cases.end(), is(judge::Verdict::not_implemented));
  const auto judged = std::count_if(r.cases.begin(), r.cases.end(), std::mem_fn(&judge::CaseVerdict::ran));
  r.verdict = judge::Verdict::accepted;
  if (open > 0 && open == judged) {  // nothing was found right or wrong
    const std::size_t all = r.cases.size();
    r.verdict = judge::Verdict::not_implemented;
    r.reason = static_cast<std::size_t>(open) == all ? "no question is answered yet"
                                                     : fmt::format("{} of {} questions {} not answered yet",
                                                                   open, all, open == 1 ? "is" : "are");
    return r;
  }
  for (const judge::Verdict v :
       {judge::Verdict::grader_error, judge::Verdict::wrong_answer, judge::Verdict::not_implemented}) {
    const auto found = std::find_if(r.cases.begin(), r.cases.end(), is(v));
    if (found == r.cases.end()) continue;
    // An answer that is still missing makes the step no more than not right.
    r.verdict = v == judge::Verdict::not_implemented ? judge::Verdict::wrong_answer : v;
    r.reason = found->reason;
    break;
  }
  return r;
}

}  // namespace warpgrade::grading
