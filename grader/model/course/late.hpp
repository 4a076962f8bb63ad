// The penalty for late submissions: `late` in assignment.yaml, and `extensions` in hidden.yaml.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace warpgrade::course {

class Yaml;

struct LatePolicy {
  std::optional<std::int64_t> due;  ///< seconds since 1970; none: only the platform knows what is late
  int days = 0;                     ///< late work is accepted for this many days; after that it has no points
  double penalty_per_day = 0;  ///< for each day or part of a day, a share of the points that the work earned
  std::map<std::string, int> extensions;  ///< days without penalty, by student
  bool operator==(const LatePolicy &) const = default;
};

/// late: {due: 2026-03-01 23:59:00 +0900, days: 3, penalty_per_day: 0.1}; extensions are not in it.
LatePolicy read_late_policy(const Yaml &);
/// extensions: {20261234: 2}: days by student.
std::map<std::string, int> read_extensions(const Yaml &);

/// Seconds since 1970 of "2026-03-01 12:00:00.5 -08:00", with T or a space between date and time; without a
/// zone it is UTC. 0: not such a time.
std::int64_t read_time(const std::string &);

}  // namespace warpgrade::course
