// JUnit XML, as CI servers read it: a suite per student, a test per step.
#include <fmt/format.h>

#include "base/text.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

struct Count {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}")", tests, failures, errors);
  }
};

std::string test_of(const StepGrade &step, const std::string &suite, Count &count) {
  ++count.tests;
  std::string xml = fmt::format("    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"0\"",
                                for_xml(step.id), for_xml(suite), for_xml(step.file));
  if (step.passed()) return xml + "/>\n";
  if (!step.points) {
    ++count.skipped;
    return xml + ">\n      <skipped message=\"not graded yet\"/>\n    </testcase>\n";
  }
  const bool ours = !step.by_hand && step.verdict == "grader_error";
  ++(ours ? count.errors : count.failures);
  const std::string message = step.explanation();
  return xml + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\"/>\n    </testcase>\n",
                           ours ? "error" : "failure", for_xml(step.verdict), for_xml(message));
}

std::string property(const char *name, const std::string &value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, for_xml(value));
}

std::string xml_of(const ClassGrades &grades) {
  Count total;
  std::string suites;
  const std::string now = time_of_suite();
  for (const StudentGrades &s : grades.students) {
    const std::string name = grades.assignment + "." + s.student;
    Count count;
    std::string tests;
    for (const StepGrade &step : s.steps) tests += test_of(step, name, count);
    std::string properties = property("status", name_of(s.standing));
    if (s.standing != Standing::pending)
      properties += property("points", points(s.points)) + property("max_points", points(s.max_points));
    if (!s.refused.empty()) properties += property("archive_refused", s.refused);
    for (const std::string &note : s.notes) properties += property("note", note);
    suites += fmt::format(
        "  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"0\" timestamp=\"{}\">\n    <properties>\n{}    "
        "</properties>\n{}  </testsuite>\n",
        for_xml(name), count.attributes(), count.skipped, now, properties, tests);
    total.tests += count.tests, total.failures += count.failures, total.errors += count.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {} time=\"0\">\n{}</testsuites>\n",
      for_xml(grades.assignment), total.attributes(), suites);
}

}  // namespace

const Platform junit = {
    .name = "junit",
    .title = "a CI server",
    .exports = {.of_class = xml_of, .telling = " name="},
};

}  // namespace warpgrade::platforms
