// softmax and attention on the GPU; problem.cpp says what they are.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_softmax {

/// Of a row, or of the scores of a query.
struct Row {
  double most = 0, sum = 0, error = 0;
};

struct Softmax {
  static constexpr const char *name = "softmax";
  using Group = Row;
  WARPGRADE_ANYWHERE static std::uint64_t columns(const OnDeviceCase &c) {
    return static_cast<std::uint64_t>(c.integers[1]);
  }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_softmax(columns(c), c.integers[2] == 1, c.integers[3] == 1, seed,
                              static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) {
    return static_cast<std::uint64_t>(c.integers[0]);
  }
  WARPGRADE_ANYWHERE static Row group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    const std::uint64_t n = columns(c);
    const float *const row = in.of<float>(0) + g * n;
    float least = row[0], most = row[0];
    for (std::uint64_t k = 1; k < n; ++k) {
      least = row[k] < least ? row[k] : least;
      most = row[k] > most ? row[k] : most;
    }
    double sum = 0;
    for (std::uint64_t k = 0; k < n; ++k) sum += exp(static_cast<double>(row[k]) - most);
    return {most, sum, softmax_error(static_cast<double>(n), static_cast<double>(most) - least)};
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const Row *rows,
                                        std::uint64_t i) {
    const Row &row = rows[i / columns(c)];
    const double value = exp(in.of<float>(0)[i] - row.most) / row.sum;
    return {value, row.error * value};
  }
};

struct Attention {
  static constexpr const char *name = "attention";
  using Group = Row;
  WARPGRADE_ANYWHERE static std::uint64_t keys(const OnDeviceCase &c) {
    return static_cast<std::uint64_t>(c.integers[1]);
  }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_attention(c.integers[2] == 1, seed, static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) {
    return static_cast<std::uint64_t>(c.integers[0]);
  }
  /// With the sum of magnitudes of its products.
  struct Score {
    double value = 0, magnitudes = 0;
  };
  WARPGRADE_ANYWHERE static Score score(const Arrays &in, std::uint64_t query, std::uint64_t key) {
    Score made;
    for (std::uint64_t d = 0; d < width; ++d) {
      const double product =
          static_cast<double>(in.of<float>(0)[query * width + d]) * in.of<float>(1)[key * width + d];
      made.value += product;
      made.magnitudes += fabs(product);
    }
    constexpr double root = 8;  // of the width
    return {made.value / root, made.magnitudes / root};
  }
  WARPGRADE_ANYWHERE static Row group(const OnDeviceCase &c, const Arrays &in, std::uint64_t query) {
    double least = INFINITY, most = -INFINITY, magnitude = 0, sum = 0;
    for (std::uint64_t key = 0; key < keys(c); ++key) {
      const Score one = score(in, query, key);
      // A larger score than before changes the weights of all so far.
      sum = one.value > most ? sum * exp(most - one.value) + 1 : sum + exp(one.value - most);
      most = fmax(most, one.value);
      least = fmin(least, one.value);
      magnitude = fmax(magnitude, one.magnitudes);
    }
    const auto n = static_cast<double>(keys(c));
    return {most, sum,
            softmax_error(n, most - least) + 2 * n + 2 * (static_cast<double>(width) + 1) * magnitude};
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const Row *rows,
                                        std::uint64_t i) {
    const std::uint64_t query = i / width, d = i % width;
    const Row &row = rows[query];
    double mean = 0, magnitudes = 0;
    for (std::uint64_t key = 0; key < keys(c); ++key) {
      const double weight = exp(score(in, query, key).value - row.most),
                   value = in.of<float>(2)[key * width + d];
      mean += weight * value;
      magnitudes += weight * fabs(value);
    }
    return {mean / row.sum, row.error * magnitudes / row.sum};
  }
};

}  // namespace of_softmax
using namespace of_softmax;

WARPGRADE_ON_DEVICE(Softmax, Attention)
