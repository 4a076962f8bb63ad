#include <fmt/format.h>

#include "platforms/grades.hpp"
#include "report/discreet.hpp"
#include "report/figures.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

struct Count {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  void add(const Count &c) {
    tests += c.tests, failures += c.failures, errors += c.errors, seconds += c.seconds;
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}")", tests, failures, errors);
  }
};

/// One <testcase>; `verdict` is empty when it was skipped.
std::string testcase(Count &count, const std::string &suite, const std::string &name, const std::string &file,
                     std::optional<judge::Verdict> verdict, const std::string &reason) {
  ++count.tests;
  std::string xml = fmt::format("    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"0\"",
                                for_xml(name), for_xml(suite), for_xml(file));
  if (!verdict) {
    ++count.skipped;
    return xml + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", for_xml(reason));
  }
  if (*verdict == judge::Verdict::accepted) return xml + "/>\n";
  const bool ours = *verdict == judge::Verdict::grader_error;
  ++(ours ? count.errors : count.failures);
  return xml + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\"/>\n    </testcase>\n",
                           ours ? "error" : "failure", judge::name_of(*verdict), for_xml(reason));
}

std::string property(std::string_view name, const std::string &value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, for_xml(value));
}

/// `notes`: on the submission as a whole.
std::string properties(const Report &r, const grading::StepRecord &step, const score::StepScore &s,
                       const std::vector<std::string> &notes) {
  std::string xml = property("verdict", std::string(judge::name_of(step.verdict))) +
                    property("points", r.not_graded.empty() ? points(s.points) : r.not_graded) +
                    property("max_points", points(s.max_points));
  if (s.by_hand)
    xml += property("by_hand", fmt::format("{} points were given by hand, in place of {}: {}",
                                           points(s.points), points(s.computed_points), s.by_hand->reason));
  for (const std::string &note : notes) xml += property("note", note);
  return "    <properties>\n" + xml + "    </properties>\n";
}

std::string suite(const Report &r, const grading::StepRecord &step, const score::StepScore &s,
                  const std::vector<std::string> &notes, Count &total) {
  const std::string name = r.assignment.name + "." + step.id;
  Count count;
  std::string tests;
  int hidden = 0;
  for (const judge::CaseVerdict &c : step.cases) {
    const bool secret = c.visibility == course::Visibility::hidden && !r.reveal_hidden;
    if (c.visibility == course::Visibility::hidden) ++hidden;
    const std::string case_name = secret ? fmt::format("hidden case {}", hidden) : c.name;
    if (c.advisory) continue;  // costs nothing, so it is not a failure
    tests += c.ran()
                 ? testcase(count, name, case_name, step.file, c.verdict, secret ? "" : c.reason)
                 : testcase(count, name, case_name, step.file, std::nullopt, std::string(why_no_verdict(c)));
  }
  for (const judge::CaseVerdict &c : step.answers)
    tests += c.ran() ? testcase(count, name, "answer " + c.name, step.file, c.verdict, c.reason)
                     : testcase(count, name, "answer " + c.name, step.file, std::nullopt,
                                std::string(why_no_verdict(c)));
  // A step that never came to its cases, or that breaks a rule, fails as a whole.
  const bool shown_by_a_case = count.failures + count.errors > 0;
  if (!shown_by_a_case) tests += testcase(count, name, "verdict", step.file, step.verdict, step.reason);
  count.seconds = step.build.seconds;
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"{:.3f}\" timestamp=\"{}\">\n", for_xml(name),
      count.attributes(), count.skipped, count.seconds, platforms::time_of_suite());
  xml += properties(r, step, s, notes);
  total.add(count);
  return xml + tests + "  </testsuite>\n";
}

}  // namespace

std::string to_junit(const Report &whole) {
  const Discreet discreet(whole);
  const Report &r = discreet.report();
  Count total;
  std::string suites;
  for (std::size_t i = 0; i < r.record.steps.size(); ++i)
    // The schema has no place for what is about all suites.
    suites += suite(r, r.record.steps[i], r.score.steps.at(i),
                    i == 0 ? r.record.notes : std::vector<std::string>(), total);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {} "
      "time=\"{:.3f}\">\n{}</testsuites>\n",
      for_xml(r.record.assignment), total.attributes(), total.seconds, suites);
}

}  // namespace warpgrade::report
