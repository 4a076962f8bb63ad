// Order statistics of a list of times: no outlier moves them.
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
/// higher confidence that this number of values allows; from the least to the greatest for up to five values.
/// NaN for no values. (David, Nagaraja: Order Statistics, 7.1.)
Interval median_interval(std::vector<double> values);

}  // namespace warpgrade
