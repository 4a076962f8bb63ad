#include "platforms/grades.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace warpgrade::platforms {

bool StepGrade::passed() const {
  return by_hand ? points.value_or(0) >= max_points : verdict == "accepted";
}

std::string StepGrade::explanation() const {
  if (by_hand) return "by hand: " + *by_hand;
  const std::string place = fmt::format("{}:{}", file, line);
  return line > 0 && reason.find(place) == std::string::npos ? fmt::format("{}: {}", place, reason) : reason;
}

std::optional<double> StudentGrades::grade() const {
  if (standing == Standing::pending || standing == Standing::grader_error) return std::nullopt;
  return points;
}

std::string name_of(Standing standing) {
  switch (standing) {
    case Standing::graded:
      return "graded";
    case Standing::overridden:
      return "overridden";
    case Standing::pending:
      return "pending";
    case Standing::archive_refused:
      return "archive_refused";
    case Standing::not_submitted:
      return "not_submitted";
    case Standing::missing:
      return "missing";
    case Standing::grader_error:
      return "grader_error";
  }
  return "";
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string time_of_suite() {
  std::string now = utc(std::time(nullptr));
  now.pop_back();  // the schema has no zone
  return now;
}

}  // namespace warpgrade::platforms
