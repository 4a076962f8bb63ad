#include "batch/gradescope.hpp"

#include "course/late.hpp"
#include "course/yaml.hpp"

namespace warpgrade::batch {

namespace {

std::string text_of(const course::Yaml &map, std::string_view key) {
  const auto value = map.find(key);
  return value ? value->text_or_empty() : "";
}

}  // namespace

std::map<std::string, GradescopeSubmission> read_gradescope(const std::string &yaml,
                                                            const std::string &name) {
  std::map<std::string, GradescopeSubmission> submissions;
  for (const auto &[folder, y] : course::Yaml::parse(yaml, name).entries()) {
    GradescopeSubmission &submission = submissions[folder];
    for (const course::Yaml &submitter : y.at(":submitters").items())
      submission.submitters.push_back(
          {text_of(submitter, ":name"), text_of(submitter, ":sid"), text_of(submitter, ":email")});
    submission.created = course::read_time(text_of(y, ":created_at"));
  }
  return submissions;
}

}  // namespace warpgrade::batch
