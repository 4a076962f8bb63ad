// The numbers of multi-head attention, which the host and a GPU draw alike, and the bound on errors.
#pragma once

#include <cmath>

#include "problem/element.hpp"
#include "problem/random.hpp"

#ifdef __CUDACC__
#define WARPGRADE_ON_BOTH __host__ __device__
#else
#define WARPGRADE_ON_BOTH
#endif

namespace of_attention {

namespace warpgrade_problem = warpgrade::problem;

/// The bits of a bfloat16 of random sign with magnitude in [0.5, 1). Its last bit is 1, so no 8-bit format
/// holds it.
constexpr std::uint16_t odd_bfloat16(std::uint64_t bits) {
  return static_cast<std::uint16_t>((bits >> 63) << 15 | 0x3f00u | (bits >> 40 & 0x7eu) | 1u);
}
constexpr float bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Element i of Q, K, V (arrays 0, 1, 2). The values of every eighth column are positive: their mean is far
/// from 0, so that an error of the sum of weights shows there. `large`: queries are 64 times as long, and e
/// to the power of a score is more than a float can hold. `equal`: all keys are the same, so that all weights
/// are 1 and the result is a plain average.
constexpr std::uint64_t element_of_heads(bool half, std::int64_t width, bool large, bool equal,
                                         std::uint64_t seed, std::uint64_t array, std::uint64_t i) {
  const std::uint64_t column = i % static_cast<std::uint64_t>(width);
  const std::uint64_t bits =
      warpgrade_problem::random_bits(seed, array + 1, array == 1 && equal ? column : i);
  auto made = half ? warpgrade_problem::awkward_half(bits, 1, 4) : odd_bfloat16(bits);
  const bool positive = array == 2 && column % 8 == 0;
  if (positive) made &= 0x7fffu;
  if (array == 0 && large) made = static_cast<std::uint16_t>(made + (half ? 6u << 10 : 6u << 7));
  return made;
}

/// What one query adds up over its keys, for one column of the values. Weights are e^(score - largest).
struct Averages {
  double sum = 0;             // of the weights
  double mean = 0, size = 0;  // of weight * value and of its magnitude
  // Of weight^2 * value^2, weight^2 * value and weight^2, where a weight is rounded: 1 is not.
  double squares = 0, crossed = 0, weights = 0;
  WARPGRADE_ON_BOTH void add(double weight, double value) {
    sum += weight;
    mean += weight * value;
    size += weight * (value < 0 ? -value : value);
    if (weight == 1) return;
    squares += weight * weight * value * value;
    crossed += weight * weight * value;
    weights += weight * weight;
  }
};

/// The bound on the error of a result, in units of 2^-24. docs/tolerance.md derives it.
/// keys, spread   how many keys the query sees, and by how much their scores differ
/// magnitude      the largest sum of magnitudes of the products of a score
WARPGRADE_ON_BOTH inline double error_of_heads(bool half, double keys, double spread, double magnitude,
                                               const Averages &a) {
  const double result = a.mean / a.sum, size = a.size / a.sum;
  const double in_single = 100 + 16 * std::sqrt(keys) + keys / 4 + 2 * spread + 64 * magnitude;
  // Weights are rounded to the type of the values; the sum has them as they were, or rounded as well.
  const double by_itself = a.squares,
               by_both = a.squares - 2 * result * a.crossed + result * result * a.weights;
  const double random = 3 * std::sqrt(by_both > by_itself ? by_both : by_itself) / a.sum;
  const double rounded = (half ? 8192 : 65536) * (random < 2 * size ? random : 2 * size);
  const double subnormal = half ? 0.5 * keys / a.sum : 0;
  return size * in_single + rounded + subnormal;
}

}  // namespace of_attention
