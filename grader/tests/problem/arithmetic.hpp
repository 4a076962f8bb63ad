// Models of how a matrix product may be computed: honest single precision in several summation orders, and
// the shorter formats that the tolerance has to distinguish from it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpgrade::tests {

/// Rounds to `kept` explicit mantissa bits, to nearest even. Exponent range is not modelled: inputs are in
/// [0.5, 1).
inline float round_mantissa(float x, int kept) {
  const int dropped = 23 - kept;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t half = (1u << (dropped - 1)) - 1 + ((bits >> dropped) & 1u);
  return std::bit_cast<float>((bits + half) & ~((1u << dropped) - 1));
}
/// What tensor cores do with an fp32 register that was not rounded: they drop the bits.
inline float truncate_mantissa(float x, int kept) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~((1u << (23 - kept)) - 1));
}

/// One element: a and b point to k factors, strides 1 and `stride`.
using Dot = std::function<float(const float *a, const float *b, std::int64_t stride, std::int64_t k)>;
struct Method {
  std::string name;
  Dot dot;
};

inline float dot_fma(const float *a, const float *b, std::int64_t stride, std::int64_t k) {
  float sum = 0;
  for (std::int64_t p = 0; p < k; ++p) sum = std::fma(a[p], b[p * stride], sum);
  return sum;
}

inline float pairwise(const float *a, const float *b, std::int64_t stride, std::int64_t k) {
  if (k == 1) return a[0] * b[0];
  const std::int64_t half = k / 2;
  return pairwise(a, b, stride, half) + pairwise(a + half, b + half * stride, stride, k - half);
}

inline std::vector<Method> honest_methods() {
  const auto strided = [](int ways) {
    return [ways](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
      float total = 0;
      for (int w = 0; w < ways; ++w) {
        float sum = 0;
        for (std::int64_t p = w; p < k; p += ways) sum = std::fma(a[p], b[p * stride], sum);
        total += sum;
      }
      return total;
    };
  };
  const auto tiled = [](std::int64_t tile) {
    return [tile](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
      float total = 0;
      for (std::int64_t p = 0; p < k; p += tile)
        total += dot_fma(a + p, b + p * stride, stride, std::min(tile, k - p));
      return total;
    };
  };
  return {{"forwards, fused", dot_fma},
          {"forwards, product rounded",
           [](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
             float sum = 0;
             for (std::int64_t p = 0; p < k; ++p) {
               volatile float product = a[p] * b[p * stride];
               sum += product;
             }
             return sum;
           }},
          {"backwards",
           [](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
             float sum = 0;
             for (std::int64_t p = k; p-- > 0;) sum = std::fma(a[p], b[p * stride], sum);
             return sum;
           }},
          {"pairwise", pairwise},
          {"32 lanes", strided(32)},
          {"4 parts", strided(4)},
          {"tiles of 32", tiled(32)},
          {"tiles of 8", tiled(8)}};
}

inline std::vector<Method> short_methods() {
  const auto factors = [](auto shorten) {
    return [shorten](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum = std::fma(shorten(a[p]), shorten(b[p * stride]), sum);
      return sum;
    };
  };
  return {{"TF32", factors([](float x) { return round_mantissa(x, 10); })},
          {"TF32, truncated", factors([](float x) { return truncate_mantissa(x, 10); })},
          {"FP16 factors", factors([](float x) { return round_mantissa(x, 10); })},
          {"FP16 sums",
           [](const float *a, const float *b, std::int64_t stride, std::int64_t k) {
             float sum = 0;
             for (std::int64_t p = 0; p < k; ++p)
               sum = round_mantissa(
                   std::fma(round_mantissa(a[p], 10), round_mantissa(b[p * stride], 10), sum), 10);
             return sum;
           }},
          {"BF16", factors([](float x) { return round_mantissa(x, 7); })}};
}

}  // namespace warpgrade::tests
