#include "batch/gradescope.hpp"

#include <cstdio>
#include <ctime>

#include "course/yaml.hpp"

namespace warpgrade::batch {

namespace {

std::string text_of(const course::Yaml &map, std::string_view key) {
  const auto value = map.find(key);
  return value ? value->text_or_empty() : "";
}

}  // namespace

std::int64_t read_time(const std::string &text) {
  std::tm time{};
  int end = 0;
  char between = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d%n", &time.tm_year, &time.tm_mon, &time.tm_mday,
                  &between, &time.tm_hour, &time.tm_min, &time.tm_sec, &end) != 7 ||
      (between != 'T' && between != ' '))
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  std::size_t at = static_cast<std::size_t>(end);
  if (at < text.size() && text[at] == '.')
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9';) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string zone = text.substr(at);
  std::int64_t ahead = 0;
  if (!zone.empty() && (zone[0] == '+' || zone[0] == '-')) {
    int hours = 0, minutes = 0;
    if (std::sscanf(zone.c_str() + 1, "%2d:%2d", &hours, &minutes) < 2 &&
        std::sscanf(zone.c_str() + 1, "%2d%2d", &hours, &minutes) < 1)
      return 0;
    ahead = (zone[0] == '-' ? -60 : 60) * (hours * 60 + minutes);
  }
  return std::int64_t{::timegm(&time)} - ahead;
}

std::map<std::string, GradescopeSubmission> read_gradescope(const std::string &yaml,
                                                            const std::string &name) {
  std::map<std::string, GradescopeSubmission> submissions;
  for (const auto &[folder, y] : course::Yaml::parse(yaml, name).entries()) {
    GradescopeSubmission &submission = submissions[folder];
    for (const course::Yaml &submitter : y.at(":submitters").items())
      submission.submitters.push_back(
          {text_of(submitter, ":name"), text_of(submitter, ":sid"), text_of(submitter, ":email")});
    submission.created = read_time(text_of(y, ":created_at"));
  }
  return submissions;
}

}  // namespace warpgrade::batch
