// LTI 1.3 Assignment and Grade Services 2.0: the score message of a student, as a tool posts it to
// LINEITEM/scores (application/vnd.ims.lis.v1.score+json). Platforms drop a message that is no newer than the
// last one, so its time is that of writing.
#include <fmt/format.h>

#include <chrono>

#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

/// "2026-01-31T23:59:59.123Z": the specification asks for fractions of seconds.
std::string time_now() {
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  std::string text = utc(passed / 1000);
  text.insert(text.size() - 1, fmt::format(".{:03}", passed % 1000));
  return text;
}

const char *activity_progress_of(const StudentGrades &s) {
  if (s.standing == Standing::not_submitted) return "Initialized";
  return s.grade() ? "Completed" : "Submitted";
}

/// PendingManual and Failed are shown to the staff: somebody has to do something.
const char *grading_progress_of(const StudentGrades &s) {
  if (s.standing == Standing::grader_error) return "Failed";
  if (s.standing == Standing::pending || s.ungraded_points > 0) return "Pending";
  return s.standing == Standing::archive_refused ? "PendingManual" : "FullyGraded";
}

/// Plain text, which is all that the specification allows.
std::string score_comment_of(const StudentGrades &s) {
  if (s.standing == Standing::not_submitted) return "Nothing was handed in.";
  if (!s.refused.empty()) return "Nothing was graded: " + s.refused;
  std::string text;
  for (const StepGrade &step : s.steps)
    text += fmt::format("{}{}: {}/{}, {}", text.empty() ? "" : "\n", step.id, points(step.points.value_or(0)),
                        points(step.max_points), outcome(step));
  for (const std::string &note : s.notes) text += fmt::format("{}Note: {}", text.empty() ? "" : "\n", note);
  return text;
}

std::string score_message_of(const StudentGrades &s) {
  Json j = {{"activityProgress", activity_progress_of(s)}, {"gradingProgress", grading_progress_of(s)}};
  if (const auto grade = s.grade()) {
    j["scoreGiven"] = number(*grade);
    j["scoreMaximum"] = number(s.max_points);
  }
  j["comment"] = for_json(score_comment_of(s));
  j["timestamp"] = time_now();
  if (!s.student.empty()) j["userId"] = for_json(s.student);
  if (s.handed_in > 0) j["submission"] = {{"submittedAt", utc(s.handed_in)}};
  return j.dump(2) + "\n";
}

}  // namespace

const Platform lti = {
    .name = "lti",
    .title = "LTI 1.3",
    .exports = {.of_student = score_message_of, .student_file = "score.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
