// What times say about a threshold. Pure functions of raw times, so that scores can be recomputed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::judge {

/// A rate, from work (flops, or bytes) and times in seconds, in 1e9 per second: that of the median, and those
/// of the ends of the median's 95 % confidence interval.
struct Rate {
  double median = 0, low = 0, high = 0;
};
/// seconds  not empty
Rate rate_of(double work, const std::vector<double> &seconds);

/// A threshold as a rate: given directly, or as a share of a library's rate; `low` for a library as slow as
/// its times allow. None for a share without a library.
struct Bar {
  double value = 0, low = 0;
};
std::optional<Bar> bar_of(const course::Threshold &, const std::optional<Rate> &library);

inline constexpr double most_doubt = 0.01;
/// Whether the median is below the threshold but, by its confidence interval, may be above it. Never more
/// than most_doubt below: larger scatter helps nobody.
bool in_doubt(const Rate &, const Bar &);

/// The rate that counts at this threshold: if in doubt, the threshold counts as reached.
double benefit_of_doubt(const Rate &, const Bar &);

/// Why a person must look at a rate before it scores, or "": no kernel computes faster than the GPU can, or
/// reads faster than its memory delivers.
std::string impossible_rate(double rate, std::string_view unit, const std::optional<double> &peak);

}  // namespace warpgrade::judge
