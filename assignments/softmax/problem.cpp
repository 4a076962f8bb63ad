// softmax: each row of a matrix becomes e^x of its elements, divided by their sum. attention: each query
// takes the average of all values, weighted by the softmax of its products with all keys.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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
                      .integers = {{"rows", 0, 65536},
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
    return of_rows(c, in);
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
    const std::size_t n = columns(c);
    const auto all_of_it = [&](std::size_t r, double subtracted) { return sum_of(c, in, r, n, subtracted); };
    const auto some_of_it = [&](std::size_t summed) {
      return [&, summed](std::size_t r, double subtracted) { return sum_of(c, in, r, summed, subtracted); };
    };
    std::vector<Hypothesis> all = {
        {"the division by the sum is missing",
         of_rows(c, in, [](std::size_t, double) { return [](std::size_t) { return 1.0; }; })},
        {"the last column is left out of the sum", of_rows(c, in, some_of_it(n - 1))},
        {"the largest number is not subtracted: e^x is too large or too small for a float",
         of_rows(c, in, all_of_it, [](std::size_t) { return 0.0; })},
        {"another row's number is subtracted, not the largest of the row itself",
         of_rows(c, in, all_of_it, [&](std::size_t) { return double{in[0].as<float>()[0]}; })},
        {"the search for the largest number starts at 0: a row may be entirely below",
         of_rows(c, in, all_of_it, [&](std::size_t r) { return std::max(0.0, largest_of(c, in, r)); })},
        {"the two halves of a warp add up on their own: a round of shuffles is missing",
         of_rows(c, in,
                 [&](std::size_t r, double subtracted) {
                   const std::vector<double> of_lane = sums_of_lanes(c, in, r, subtracted);
                   const auto middle = of_lane.begin() + warp / 2;
                   const double halves[] = {std::accumulate(of_lane.begin(), middle, 0.0),
                                            std::accumulate(middle, of_lane.end(), 0.0)};
                   return [=](std::size_t column) { return halves[column % warp / (warp / 2)]; };
                 })},
        {"only the first lane has the whole sum, and every lane divides by its own",
         of_rows(c, in,
                 [&](std::size_t r, double subtracted) {
                   std::vector<double> of_lane = sums_of_lanes(c, in, r, subtracted);
                   for (std::size_t distance = warp / 2; distance > 0; distance /= 2)
                     for (std::size_t lane = 0; lane < warp;
                          ++lane)  // beyond the last lane, a lane gets its own
                       of_lane[lane] += of_lane[lane + distance < warp ? lane + distance : lane];
                   return [=](std::size_t column) { return of_lane[column % warp]; };
                 })},
        {"the sums of lanes are added although each refers to a largest number of its own",
         of_rows(c, in, [&](std::size_t r, double) { return Everywhere{sum_of_own_largest(c, in, r)}; })},
        {"sums are added although each refers to a largest number of its own",
         of_rows(c, in, [&](std::size_t, double) { return Everywhere{static_cast<double>(n)}; })}};
    for (const std::size_t first : {32, 256})
      if (first < n)
        all.push_back(
            {"only the first columns are in the sum, one per thread", of_rows(c, in, some_of_it(first))});
    // By xor, lanes without an element meet in the first round or in the last one.
    for (const std::size_t longest : {warp / 2, warp})
      if (n < longest)
        all.push_back({"where a lane has no element, minus infinity is subtracted from itself",
                       of_rows(c, in, [&](std::size_t, double) { return Everywhere{std::nan("")}; })});
    return all;
  }

 private:
  static constexpr std::size_t warp = 32;

  static std::size_t rows(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
  static std::size_t columns(const Case &c) { return static_cast<std::size_t>(c.integers.at(1)); }
  /// A sum for every column.
  struct Everywhere {
    double sum = 0;
    double operator()(std::size_t) const { return sum; }
  };
  static std::span<const float> row_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t r) {
    return in[0].as<float>().subspan(r * columns(c), columns(c));
  }
  static double largest_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t r) {
    return std::ranges::max(row_of(c, in, r));
  }
  /// As a float can hold it.
  static double power(double x) {
    const double e = std::exp(x);
    if (e > std::numeric_limits<float>::max()) return std::numeric_limits<double>::infinity();
    return e < std::numeric_limits<float>::denorm_min() ? 0 : e;
  }
  /// Of the first `summed` numbers of row r.
  static Everywhere sum_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t r,
                           std::size_t summed, double subtracted) {
    double sum = 0;
    for (const float x : row_of(c, in, r).first(summed)) sum += power(x - subtracted);
    return {sum};
  }
  /// Lane l adds columns l, l + 32, ...
  static std::vector<double> sums_of_lanes(const Case &c, const std::vector<run::HostBuffer> &in,
                                           std::size_t r, double subtracted) {
    const auto row = row_of(c, in, r);
    std::vector<double> sums(warp);
    for (std::size_t k = 0; k < row.size(); ++k) sums[k % warp] += power(row[k] - subtracted);
    return sums;
  }
  static double sum_of_own_largest(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t r) {
    const auto row = row_of(c, in, r);
    double sum = 0;
    for (std::size_t lane = 0; lane < std::min(warp, row.size()); ++lane) {
      float largest = row[lane];
      for (std::size_t k = lane; k < row.size(); k += warp) largest = std::max(largest, row[k]);
      for (std::size_t k = lane; k < row.size(); k += warp) sum += power(double{row[k]} - largest);
    }
    return sum;
  }

  static Reference of_rows(const Case &c, const std::vector<run::HostBuffer> &in) {
    return of_rows(
        c, in, [&](std::size_t r, double subtracted) { return sum_of(c, in, r, columns(c), subtracted); });
  }
  /// sum(row, subtracted)(column): what the element of that column is divided by
  template <typename Sum>
  static Reference of_rows(const Case &c, const std::vector<run::HostBuffer> &in, const Sum &sum) {
    return of_rows(c, in, sum, [&](std::size_t r) { return largest_of(c, in, r); });
  }
  /// subtracted(row): from all its elements
  template <typename Sum, typename Subtracted>
  static Reference of_rows(const Case &c, const std::vector<run::HostBuffer> &in, const Sum &sum,
                           const Subtracted &subtracted) {
    const std::size_t n = columns(c);
    Reference ref{std::vector<double>(rows(c) * n), std::vector<double>(rows(c) * n)};
    const auto fill = [&](std::size_t r) {
      const auto row = row_of(c, in, r);
      const auto [least, most] = std::ranges::minmax(row);
      const double error = softmax_error(static_cast<double>(n), double{most} - least), from = subtracted(r);
      const auto divisor = sum(r, from);
      for (std::size_t k = 0; k < n; ++k) {
        ref.want[r * n + k] = power(row[k] - from) / divisor(k);
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
             .integers = {{"queries", 0, 65536},
                          {"keys", 1, 65536},
                          {.name = "large", .least = 0, .most = 1, .otherwise = 0, .size = false}},
             .routine = Routine::attention}) {}
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
             attended(c, in, keys(c) / 32 * 32, root, true)},
            {"the sum is multiplied when a larger score appears, but not the result so far",
             attended(c, in, keys(c), root, true, true)}};
  }

 private:
  static std::size_t queries(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
  static std::size_t keys(const Case &c) { return static_cast<std::size_t>(c.integers.at(1)); }
  /// used: how many of the keys; divisor: of the scores; keeps_result: a value's weight refers to the
  /// largest score so far and stays as it was. A score is a sum of `width` products, each of which
  /// rounds by 2^-24 of the sum of magnitudes in each of its additions. This absolute error is a relative one
  /// of its e^x, in the numerator and in the sum. Adding up the values takes part in two more roundings a
  /// key.
  static Reference attended(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t used,
                            double divisor, bool divides, bool keeps_result = false) {
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
      double so_far = used > 0 ? scores[0] : 0;
      for (std::size_t key = 0; key < used; ++key) {
        so_far = std::max(so_far, scores[key]);
        sum += std::exp(scores[key] - largest);
        const double weight = std::exp(scores[key] - (keeps_result ? so_far : largest));
        for (std::size_t d = 0; d < width; ++d) {
          mean[d] += weight * v[key * width + d];
          magnitudes[d] += weight * std::fabs(v[key * width + d]);
        }
      }
      const auto n = static_cast<double>(used);
      const double error = softmax_error(n, spread) + 2 * n + 2 * (width + 1) * magnitude;
      const double by = divides ? sum : 1;
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
