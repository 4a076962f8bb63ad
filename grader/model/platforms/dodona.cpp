// Dodona: what a judge prints, a JSON object a line ("partial output"): a tab per step with one test in it.
#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

/// The words that Dodona has for what became of a test.
std::string_view status_of(const StepGrade &step) {
  if (step.passed()) return "correct";
  if (step.verdict == "grader_error" || step.verdict.empty()) return "internal error";
  if (step.verdict == "build_error") return "compilation error";
  if (step.verdict == "crashed") return "runtime error";
  if (step.verdict == "time_limit") return "time limit exceeded";
  return "wrong";
}

Json message(const std::string &text) {
  return {{"command", "append-message"}, {"message", {{"format", "plain"}, {"description", for_json(text)}}}};
}

std::string judgement_of(const StudentGrades &s) {
  std::string text;
  const auto say = [&](const Json &command) { text += command.dump() + "\n"; };
  const auto begin = [&](const char *command) { say({{"command", command}}); };
  begin("start-judgement");
  say(message(s.refused.empty() ? points_of(s) : "Nothing was graded: " + s.refused));
  for (const std::string &note : s.notes) say(message("Note: " + note));
  for (const StepGrade &step : s.steps) {
    say({{"command", "start-tab"}, {"title", for_json(step.id)}});
    begin("start-context");
    say({{"command", "start-testcase"}, {"description", for_json(title_of(step))}});
    say({{"command", "start-test"}, {"expected", "accepted"}});
    const std::string what = step.verdict.empty() ? "not graded" : step.verdict;
    if (!step.passed()) say(message(outcome(step)));
    say({{"command", "close-test"},
         {"generated", for_json(what)},
         {"status", {{"enum", status_of(step)}, {"human", for_json(what)}}}});
    for (const char *command : {"close-testcase", "close-context", "close-tab"}) begin(command);
  }
  if (s.steps.empty())
    say({{"command", "escalate-status"}, {"status", {{"enum", "wrong"}, {"human", "nothing was graded"}}}});
  begin("close-judgement");
  return text;
}

}  // namespace

const Platform dodona = {
    .name = "dodona",
    .title = "Dodona",
    .exports = {.of_student = judgement_of, .student_file = "judgement.jsonl", .telling = "\n"},
};

}  // namespace warpgrade::platforms
