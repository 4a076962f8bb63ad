// PrairieLearn: results.json of an external grader. The score is a share of the points; an attempt that the
// grader could not judge is not gradable, so that it costs nothing.
#include <algorithm>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "platforms/outcome.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

namespace {

/// The pictures of a step, as long as there is room: results.json may have 1 MB.
Json images_of(const StepGrade &step, std::size_t &room) {
  Json images = Json::array();
  for (const Picture &picture : step.pictures) {
    const std::string url = "data:image/svg+xml;base64," + base64(picture.svg);
    if (url.size() > room) break;
    room -= url.size();
    images.push_back({{"label", for_json(picture.label)}, {"url", url}});
  }
  return images;
}

std::string results_of(const StudentGrades &s) {
  Json tests = Json::array();
  std::size_t room = 600'000;
  for (const StepGrade &step : s.steps) {
    tests.push_back({{"name", for_json(title_of(step))},
                     {"points", number(step.points.value_or(0))},
                     {"max_points", number(step.max_points)},
                     {"output", for_json(outcome(step))}});
    if (const Json images = images_of(step, room); !images.empty()) tests.back()["images"] = images;
  }
  std::string output;
  for (const std::string &note : s.notes) output += "Note: " + note + "\n";
  Json j = {{"gradable", s.grade().has_value()}};
  if (s.grade())
    j["score"] = share_of(s);
  else
    j["format_errors"] = {
        "The grader could not judge this submission. It costs no attempt: hand it in again."};
  j["message"] = for_json(s.refused.empty() ? points_of(s) : "Nothing was graded: " + s.refused);
  j["output"] = for_json(output);
  j["tests"] = tests;
  return j.dump(2) + "\n";
}

}  // namespace

const Platform prairielearn = {
    .name = "prairielearn",
    .title = "PrairieLearn",
    .exports = {.of_student = results_of, .student_file = "results.json", .telling = ":"},
};

}  // namespace warpgrade::platforms
