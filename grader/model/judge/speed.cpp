#include "judge/speed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"

namespace warpgrade::judge {

Rate rate_of(double work, const std::vector<double> &seconds) {
  const Interval interval = median_interval(seconds);
  const auto rate = [&](double time) { return work / time / 1e9; };
  return {rate(quantile(seconds, 0.5)), rate(interval.high), rate(interval.low)};
}

std::optional<Bar> bar_of(const course::Threshold &t, const std::optional<Rate> &library) {
  if (!t.of_library) return Bar{t.value, t.value};
  if (!library) return std::nullopt;
  return Bar{t.value * library->median, t.value * library->low};
}

bool in_doubt(const Rate &rate, const Bar &bar) {
  const double high = std::min(rate.high, rate.median * (1 + most_doubt));
  const double low = std::max(bar.low, bar.value * (1 - most_doubt));
  return rate.median < bar.value && high >= low;
}

double benefit_of_doubt(const Rate &rate, const Bar &bar) {
  return in_doubt(rate, bar) ? bar.value : rate.median;
}

std::string impossible_rate(double rate, std::string_view unit, const std::optional<double> &peak) {
  if (!peak || rate <= *peak) return "";
  return fmt::format("{:.0f} {} is more than this GPU can reach ({:.0f}): a person must look at it", rate,
                     unit, *peak);
}

}  // namespace warpgrade::judge
