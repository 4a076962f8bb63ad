#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace warpgrade {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

Interval median_interval(std::vector<double> values) {
  constexpr double outside = 0.025;  // on either side
  const std::size_t n = values.size();
  if (n == 0) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  std::sort(values.begin(), values.end());
  // The number of values below the median is binomial with probability 1/2: from either end, drop as many as
  // leave at most `outside` of that distribution there. Logarithms, since 2^-n is zero for large n.
  std::size_t first = 0;
  double at_most = 0, log_choose = 0;  // the probability of i or fewer; of n choose i
  for (std::size_t i = 0; 2 * i + 1 < n; ++i) {
    at_most += std::exp(log_choose - static_cast<double>(n) * std::log(2.0));
    if (at_most > outside) break;
    first = i;
    log_choose += std::log(static_cast<double>(n - i)) - std::log(static_cast<double>(i + 1));
  }
  return {values[first], values[n - 1 - first]};
}

}  // namespace warpgrade
