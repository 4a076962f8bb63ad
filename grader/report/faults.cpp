#include "report/faults.hpp"

#include <fmt/format.h>

#include "judge/consequences.hpp"
#include "report/fixes.hpp"
#include "report/grades.hpp"

namespace warpgrade::report {

namespace {

Fault::Level level_of(const std::string &severity) {
  if (severity == "error") return Fault::Level::error;
  return severity == "warning" ? Fault::Level::warning : Fault::Level::note;
}

}  // namespace

std::string_view name_of(Fault::Level level) {
  switch (level) {
    case Fault::Level::error:
      return "error";
    case Fault::Level::warning:
      return "warning";
    case Fault::Level::note:
      break;
  }
  return "note";
}

std::vector<Fault> faults_of(const Discreet &discreet) {
  std::vector<Fault> faults;
  for (const grading::StepRecord &step : discreet.report().record.steps) {
    if (step.verdict == judge::Verdict::grader_error) continue;
    bool any_error = false;
    for (const judge::Finding &f : step.findings) {
      any_error |= f.severity == "error";
      faults.push_back({f.code, level_of(f.severity),
                        f.follows ? fmt::format("{} (possibly a consequence of {})", f.message,
                                                judge::in_words(*f.follows, f.file))
                                  : f.message,
                        f.file.empty() ? step.file : f.file, f.line, f.follows.has_value()});
    }
    if (step.verdict == judge::Verdict::build_error)
      for (const Fix &said : fixes(step, {})) {  // by the compiler
        if (said.line == 0) continue;
        any_error = true;
        faults.push_back({std::string(judge::name_of(step.verdict)), Fault::Level::error, said.reason,
                          said.file, said.line});
      }
    if (step.verdict != judge::Verdict::accepted && !any_error)
      faults.push_back({std::string(judge::name_of(step.verdict)), Fault::Level::error, step.reason,
                        step.file, line_of_error(step)});
  }
  return faults;
}

TellingCase telling_case_of(const Discreet &discreet, const grading::StepRecord &step) {
  const judge::CaseVerdict *c =
      step.verdict == judge::Verdict::accepted ? nullptr : telling_case(discreet.report(), step);
  if (c == nullptr) return {"", step.cases.empty() ? "" : fmt::format("--seed {}", step.cases.front().seed)};
  return {c->name, fmt::format("--case \"{}\" --seed {}", c->name, c->seed)};
}

}  // namespace warpgrade::report
