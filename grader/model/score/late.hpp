// The deduction for a late submission. Pure: the same whenever points are recomputed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "course/late.hpp"

namespace warpgrade::score {

/// What is known about the time of a submission.
struct HandedIn {
  bool marked_late = false;          ///< by the platform
  std::optional<std::int64_t> time;  ///< seconds since 1970, by the platform's clock; none: unknown
  bool operator==(const HandedIn &) const = default;
};

/// A submission that is late.
struct Late {
  int days = 0;          ///< begun since it was due; 1 where the platform says "late" without a time
  bool guessed = false;  ///< the platform did not say how late
  int extension = 0;     ///< days of these that cost nothing
  double share = 0;      ///< of the earned points, deducted; from 0 to 1
  double points_off = 0;
  bool operator==(const Late &) const = default;
};

/// Nothing if it is not late, or if that is unknown. Without a policy, `share` is 0. points_off is left open.
std::optional<Late> lateness(const std::optional<course::LatePolicy> &, const std::string &student,
                             const HandedIn &);

/// One or two sentences for the student: how late it is, and what that costs.
std::string sentence(const Late &);

}  // namespace warpgrade::score
