// Multi-head attention on the GPU; problem.cpp says what it is.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_attention {

/// Of the scores of a query.
struct Scores {
  double most = 0, spread = 0, magnitude = 0;
};

template <bool half>
struct HeadsOnDevice {
  WARPGRADE_ANYWHERE static double number(std::uint16_t bits) {
    return half ? finite_half(bits) : bfloat16_value(bits);
  }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    if (array == 3) return bits_of(awkward_float(random_bits(seed, 4, i), 1, 4));
    return element_of_heads(half, c.integers[3], c.integers[5] == 1, c.integers[6] == 1, seed,
                            static_cast<std::uint64_t>(array), i);
  }

  /// One head after the other: its scores, then what they have in common for each query, their powers, and
  /// the results.
  static int want_all(const OnDeviceCase &c, const Arrays &in, Wanted *wanted, void *stream) {
    static Kept kept;
    const auto heads = static_cast<std::uint64_t>(c.integers[0] * c.integers[1]),
               n = static_cast<std::uint64_t>(c.integers[2]),
               width = static_cast<std::uint64_t>(c.integers[3]);
    const bool causal = c.integers[4] == 1;
    auto *const rows =
        static_cast<Scores *>(kept.reserve(n * sizeof(Scores) + n * n * (sizeof(double) + sizeof(float))));
    if (rows == nullptr) return no_memory;
    auto *const weights = reinterpret_cast<double *>(rows + n);
    auto *const magnitudes = reinterpret_cast<float *>(weights + n * n);
    int error = 0;
    for (std::uint64_t h = 0; h < heads && error == 0; ++h) {
      const std::uint16_t *const q = in.of<std::uint16_t>(0) + h * n * width,
                                 *const k = in.of<std::uint16_t>(1) + h * n * width,
                                 *const v = in.of<std::uint16_t>(2) + h * n * width;
      Wanted *const to = wanted + h * n * width;
      error = each(n * n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
        const std::uint64_t query = i / n, key = i % n;
        if (causal && key > query) return;
        double sum = 0, size = 0;
        for (std::uint64_t d = 0; d < width; ++d) {
          const double product = number(q[query * width + d]) * number(k[key * width + d]);
          sum += product;
          size += fabs(product);
        }
        const double root = sqrt(static_cast<double>(width));
        weights[i] = sum / root;
        magnitudes[i] = static_cast<float>(size / root);
      });
      if (error == 0)
        error = each(n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t query) {
          double least = INFINITY, most = -INFINITY, size = 0;
          for (std::uint64_t key = 0; key < (causal ? query + 1 : n); ++key) {
            const double score = weights[query * n + key];
            most = fmax(most, score);
            least = fmin(least, score);
            size = fmax(size, static_cast<double>(magnitudes[query * n + key]));
          }
          rows[query] = {most, most - least, size};
        });
      if (error == 0)
        error = each(n * n, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
          if (!causal || i % n <= i / n) weights[i] = exp(weights[i] - rows[i / n].most);
        });
      if (error == 0)
        error = each(n * width, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
          const std::uint64_t query = i / width, d = i % width, keys = causal ? query + 1 : n;
          Averages of;
          for (std::uint64_t key = 0; key < keys; ++key)
            of.add(weights[query * n + key], number(v[key * width + d]));
          to[i] = {of.mean / of.sum, error_of_heads(half, static_cast<double>(keys), rows[query].spread,
                                                    rows[query].magnitude, of)};
        });
    }
    return error;
  }
};

struct InBfloat16 : HeadsOnDevice<false> {
  static constexpr const char *name = "multi_head_attention";
};
struct InHalf : HeadsOnDevice<true> {
  static constexpr const char *name = "multi_head_attention_half";
};

}  // namespace of_attention
using namespace of_attention;

WARPGRADE_ON_DEVICE(InBfloat16, InHalf)
