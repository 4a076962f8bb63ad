// What a list of times says: order statistics, which no outlier moves.
#pragma once

#include <vector>

namespace warpgrade {

/// The q-quantile (0..1) with linear interpolation between the order statistics; NaN for no values.
double quantile(std::vector<double> values, double q);

/// Values between which the median lies.
struct Interval {
  double low = 0, high = 0;
};

/// The distribution-free confidence interval of the median, from two order statistics, at 95 % or the next
/// higher confidence that so many values allow; from the least to the greatest for five values and fewer.
/// NaN for no values. (David, Nagaraja: Order Statistics, 7.1.)
Interval median_interval(std::vector<double> values);

}  // namespace warpgrade
