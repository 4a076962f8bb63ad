#include "steps/gradescope_metadata.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "setup/course_root.hpp"

namespace warpgrade::steps {

namespace {

using nlohmann::json;

const json &field(const json &object, const char *name) {
  static const json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

std::string text(const json &value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : "";
}

/// Points come as numbers and as text: "100.0".
std::optional<double> number(const json &value) {
  const std::string words = text(value);
  char *end = nullptr;
  const double result = std::strtod(words.c_str(), &end);
  if (words.empty() || *end != '\0' || !std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace

GradescopeMetadata gradescope_metadata(const std::string &bytes) {
  const json all = json::parse(bytes, nullptr, false);
  if (!all.is_object()) throw UsageError("Gradescope's submission_metadata.json is not a JSON object");
  GradescopeMetadata m;
  m.id = text(field(all, "id"));
  m.total_points = number(field(field(all, "assignment"), "total_points"));
  if (const json &users = field(all, "users"); users.is_array())
    for (const json &user : users) {
      const std::string name = text(field(user, "name"));
      m.users.push_back(name.empty() ? text(field(user, "email")) : name);
    }
  if (const json &earlier = field(all, "previous_submissions"); earlier.is_array())
    for (const json &one : earlier) {
      const auto score = number(field(one, "score"));
      if (score && field(one, "autograder_error") != json(true))
        m.best_score_before = std::max(*score, m.best_score_before.value_or(*score));
    }
  return m;
}

}  // namespace warpgrade::steps
