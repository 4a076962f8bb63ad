#include "course/late.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

constexpr int most_days = 365;

/// Stricter than read_time, which reads what a platform writes: requires a zone and a day that exists.
std::int64_t due_time(const Yaml &y) {
  const std::string text = y.text();
  const auto wrong = [&] {
    y.fail(
        fmt::format("'{}' is not a time; write it with its zone, such as 2026-03-01 23:59:00 +0900", text));
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &year, &month, &day, &hour, &minute,
                  &second) != 6 ||
      text.size() < 20 || text.find_first_of("Z+-", 19) == std::string::npos)
    wrong();
  std::tm given{};
  given.tm_year = year - 1900, given.tm_mon = month - 1, given.tm_mday = day;
  given.tm_hour = hour, given.tm_min = minute, given.tm_sec = second;
  std::tm kept = given;
  ::timegm(&kept);  // turns February 30th into March 2nd
  const bool real = kept.tm_mon == given.tm_mon && kept.tm_mday == given.tm_mday &&
                    kept.tm_hour == given.tm_hour && kept.tm_min == given.tm_min &&
                    kept.tm_sec == given.tm_sec;
  const std::int64_t time = read_time(text);
  if (!real || time <= 0) wrong();
  return time;
}

}  // namespace

LatePolicy read_late_policy(const Yaml &y) {
  y.expect_keys({"due", "days", "penalty_per_day"});
  LatePolicy policy;
  if (const auto due = y.find("due")) policy.due = due_time(*due);
  policy.days = static_cast<int>(y.at("days").integer(0, most_days));
  policy.penalty_per_day = y.at("penalty_per_day").real(0, 1);
  return policy;
}

std::map<std::string, int> read_extensions(const Yaml &y) {
  std::map<std::string, int> extensions;
  for (const auto &[student, days] : y.entries())
    extensions[student] = static_cast<int>(days.integer(1, most_days));
  return extensions;
}

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

}  // namespace warpgrade::course
