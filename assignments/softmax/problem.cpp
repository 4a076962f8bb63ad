// softmax: each row of a matrix becomes e^x of its elements, divided by their sum. attention: each query
// takes the average of all values, weighted by the softmax of its products with all keys.
#include <algorithm>
#include <cmath>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

class Softmax final : public ArrayProblem {
 public:
  Softmax()
      : ArrayProblem({.name = "softmax",
                      .launcher = "int rows, int columns, const float *x, float *y",
                      .integers = {{"rows", 1, 65536},
                                   {"columns", 1, 65536},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false},
                                   {.name = "large", .least = 0, .most = 1, .otherwise = 0, .size = false}},
                      .routine = Routine::copy}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override {
    return {c.integers.at(0), c.integers.at(1)};
  }
  /// A subtraction, an addition and a division for each element; e^x is not counted.
  double flops(const Case &c) const override {
    return 3.0 * static_cast<double>(c.integers.at(0) * c.integers.at(1));
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return of_rows(c, in, columns(c), true);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::uint64_t elements = rows(c) * columns(c);
    return {{.name = "x", .elements = elements, .columns = c.integers.at(1)},
            {.name = "y", .elements = elements, .is_output = true, .columns = c.integers.at(1)}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_softmax(columns(c), c.integers.at(2) == 1, c.integers.at(3) == 1, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    std::vector<Hypothesis> all = {
        {"the division by the sum is missing", of_rows(c, in, columns(c), false)},
        {"the last column is left out of the sum", of_rows(c, in, columns(c) - 1, true)}};
    for (const std::size_t first : {32, 256})
      if (first < columns(c))
        all.push_back({"only the first columns are in the sum, one per thread", of_rows(c, in, first, true)});
    return all;
  }

 private:
  static std::size_t rows(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
  static std::size_t columns(const Case &c) { return static_cast<std::size_t>(c.integers.at(1)); }
  /// summed: how many elements of a row are in the sum
  static Reference of_rows(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t summed,
                           bool divides) {
    const std::size_t n = columns(c);
    Reference ref{std::vector<double>(rows(c) * n), std::vector<double>(rows(c) * n)};
    const auto fill = [&](std::size_t r) {
      const float *const row = in[0].as<float>().data() + r * n;
      const auto [least, most] = std::minmax_element(row, row + n);
      double sum = 0;
      for (std::size_t k = 0; k < summed; ++k) sum += std::exp(double{row[k]} - *most);
      const double error = softmax_error(static_cast<double>(n), double{*most} - *least);
      for (std::size_t k = 0; k < n; ++k) {
        ref.want[r * n + k] = std::exp(double{row[k]} - *most) / (divides && sum > 0 ? sum : 1);
        ref.scale[r * n + k] = error * ref.want[r * n + k];
      }
    };
    on_all_cores(
        rows(c),
        [&](std::size_t first, std::size_t end) {
          for (std::size_t r = first; r < end; ++r) fill(r);
        },
        8 * n);
    return ref;
  }
};

class Attention final : public ArrayProblem {
 public:
  Attention()
      : ArrayProblem(
            {.name = "attention",
             .launcher = "int queries, int keys, const float *Q, const float *K, const float *V, float *O",
             .integers = {{"queries", 1, 65536},
                          {"keys", 1, 65536},
                          {.name = "large", .least = 0, .most = 1, .otherwise = 0, .size = false}}}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override {
    return {c.integers.at(0), c.integers.at(1)};
  }
  /// A product and an addition for each element of each key and of each value.
  double flops(const Case &c) const override {
    return 4.0 * width * static_cast<double>(c.integers.at(0) * c.integers.at(1));
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return attended(c, in, keys(c), std::sqrt(double{width}), true);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    constexpr auto columns = static_cast<std::int64_t>(width);
    return {{.name = "Q", .elements = queries(c) * width, .columns = columns},
            {.name = "K", .elements = keys(c) * width, .columns = columns},
            {.name = "V", .elements = keys(c) * width, .columns = columns},
            {.name = "O", .elements = queries(c) * width, .is_output = true, .columns = columns}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_attention(c.integers.at(2) == 1, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const double root = std::sqrt(double{width});
    return {{"the scores are not divided by the root of the width", attended(c, in, keys(c), 1, true)},
            {"the scores are divided by the width, not by its root", attended(c, in, keys(c), width, true)},
            {"the division by the sum of the weights is missing", attended(c, in, keys(c), root, false)},
            {"the last key is left out", attended(c, in, keys(c) - 1, root, true)},
            {"only whole tiles of keys are used: the last keys are left out",
             attended(c, in, keys(c) / 32 * 32, root, true)}};
  }

 private:
  static std::size_t queries(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
  static std::size_t keys(const Case &c) { return static_cast<std::size_t>(c.integers.at(1)); }
  /// used: how many of the keys; divisor: of the scores. A score is a sum of `width` products, each of which
  /// rounds by 2^-24 of the sum of magnitudes in each of its additions. This absolute error is a relative one
  /// of its e^x, in the numerator and in the sum. Adding up the values takes part in two more roundings a
  /// key.
  static Reference attended(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t used,
                            double divisor, bool divides) {
    const auto q = in[0].as<float>(), k = in[1].as<float>(), v = in[2].as<float>();
    Reference ref{std::vector<double>(queries(c) * width), std::vector<double>(queries(c) * width)};
    const auto fill = [&](std::size_t query) {
      std::vector<double> scores(used);
      double magnitude = 0, sum = 0;
      for (std::size_t key = 0; key < used; ++key) {
        double score = 0, magnitudes = 0;
        for (std::size_t d = 0; d < width; ++d) {
          const double product = double{q[query * width + d]} * k[key * width + d];
          score += product;
          magnitudes += std::fabs(product);
        }
        scores[key] = score / divisor;
        magnitude = std::max(magnitude, magnitudes / divisor);
      }
      const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
      const double largest = used > 0 ? *most : 0, spread = used > 0 ? *most - *least : 0;
      std::vector<double> mean(width), magnitudes(width);
      for (std::size_t key = 0; key < used; ++key) {
        const double weight = std::exp(scores[key] - largest);
        sum += weight;
        for (std::size_t d = 0; d < width; ++d) {
          mean[d] += weight * v[key * width + d];
          magnitudes[d] += weight * std::fabs(v[key * width + d]);
        }
      }
      const auto n = static_cast<double>(used);
      const double error = softmax_error(n, spread) + 2 * n + 2 * (width + 1) * magnitude;
      const double by = divides && sum > 0 ? sum : 1;
      for (std::size_t d = 0; d < width; ++d) {
        ref.want[query * width + d] = mean[d] / by;
        ref.scale[query * width + d] = error * magnitudes[d] / by;
      }
    };
    on_all_cores(
        queries(c),
        [&](std::size_t first, std::size_t end) {
          for (std::size_t query = first; query < end; ++query) fill(query);
        },
        4 * width * used);
    return ref;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Softmax(), Attention())
