// filter: each element becomes a weighted sum of 5 x 5 elements around it. separable: the weights are
// products of one for the row and one for the column. stencil: in three dimensions, of itself and its six
// neighbours. Beyond the edges, everything is 0.
#include <algorithm>
#include <cmath>
#include <span>

#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t reach = 2, side = 2 * reach + 1;

/// A sum of products, with the sum of their magnitudes: each product and each addition rounds by at most
/// 2^-24 of the latter.
class Sum {
 public:
  void add(double product) {
    sum_ += product;
    magnitudes_ += std::fabs(product);
  }
  void finish(Reference &ref, std::size_t element) const {
    ref.want[element] = sum_;
    ref.scale[element] = magnitudes_;
  }

 private:
  double sum_ = 0, magnitudes_ = 0;
};

/// The sum of each row and column: sum_at(row, column).
template <typename SumAt>
Reference sums(std::int64_t rows, std::int64_t columns, const SumAt &sum_at) {
  const auto elements = static_cast<std::size_t>(rows * columns);
  Reference ref{std::vector<double>(elements), std::vector<double>(elements)};
  on_all_cores(
      elements,
      [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i)
          sum_at(static_cast<std::int64_t>(i) / columns, static_cast<std::int64_t>(i) % columns)
              .finish(ref, i);
      },
      16);
  return ref;
}

class Filter final : public ArrayProblem {
 public:
  Filter()
      : ArrayProblem({.name = "filter",
                      .launcher = "int height, int width, const float *x, const float *weights, float *y",
                      .integers = {{"height", 0, 32768}, {"width", 0, 32768}},
                      .routine = Routine::copy}) {}
  double flops(const Case &c) const override {
    return 2.0 * side * side * static_cast<double>(c.integers.at(0) * c.integers.at(1));
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return filtered(c, in, [](std::int64_t row, std::int64_t column) { return row * side + column; }, {});
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::int64_t height = c.integers.at(0), width = c.integers.at(1);
    const auto elements = static_cast<std::uint64_t>(height * width);
    return {{.name = "x", .elements = elements, .columns = width},
            {.name = "weights", .elements = side * side, .columns = side},
            {.name = "y", .elements = elements, .is_output = true, .columns = width}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto in_place = [](std::int64_t r, std::int64_t k) { return r * side + k; };
    return {{"the weights are taken from the last to the first",
             filtered(c, in, [](std::int64_t r, std::int64_t k) { return side * side - 1 - (r * side + k); },
                      {})},
            {"rows and columns of the weights are exchanged",
             filtered(c, in, [](std::int64_t r, std::int64_t k) { return k * side + r; }, {})},
            {"beyond the edges, the nearest element is taken, not 0",
             filtered(c, in, in_place, {.clamps = true})},
            {"the element is taken for the corner of its surroundings, not for their centre",
             filtered(c, in, in_place, {.before = 0})},
            {"only the first row of the weights is present", filtered(c, in, in_place, {.weights = side})},
            {"the weights are all 0: they were never copied", filtered(c, in, in_place, {.weights = 0})}};
  }

 private:
  struct Variant {
    bool clamps = false;                 ///< what is taken beyond the edges
    std::int64_t before = reach;         ///< how far before an element its surroundings begin
    std::int64_t weights = side * side;  ///< how many there are; the others are 0
  };
  /// weight(row, column): which of the weights belongs there
  template <typename Weight>
  static Reference filtered(const Case &c, const std::vector<run::HostBuffer> &in, const Weight &weight,
                            const Variant &variant) {
    const std::int64_t height = c.integers.at(0), width = c.integers.at(1);
    const auto x = in[0].as<float>(), weights = in[1].as<float>();
    return sums(height, width, [&](std::int64_t r, std::int64_t k) {
      Sum sum;
      for (std::int64_t dr = 0; dr < side; ++dr)
        for (std::int64_t dk = 0; dk < side; ++dk) {
          std::int64_t row = r + dr - variant.before, column = k + dk - variant.before;
          const bool outside = row < 0 || row >= height || column < 0 || column >= width;
          if ((outside && !variant.clamps) || weight(dr, dk) >= variant.weights) continue;
          row = std::min(std::max<std::int64_t>(row, 0), height - 1);
          column = std::min(std::max<std::int64_t>(column, 0), width - 1);
          sum.add(static_cast<double>(weights[static_cast<std::size_t>(weight(dr, dk))]) *
                  x[static_cast<std::size_t>(row * width + column)]);
        }
      return sum;
    });
  }
};

/// A product of two weights and an element rounds twice, or an element that has passed through a sum of five
/// and one more product, ten times: both are within what 25 products and additions may round.
class Separable final : public ArrayProblem {
 public:
  Separable()
      : ArrayProblem({.name = "separable",
                      .launcher =
                          "int height, int width, const float *x, const float *across, const float *down, "
                          "float *y",
                      .integers = {{"height", 0, 32768}, {"width", 0, 32768}},
                      .routine = Routine::copy}) {}
  /// Two sums of five products.
  double flops(const Case &c) const override { return 4.0 * side * static_cast<double>(outputs(c)); }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return filtered(c, in, in[1].as<float>(), in[2].as<float>());
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const std::int64_t height = c.integers.at(0), width = c.integers.at(1);
    const auto elements = static_cast<std::uint64_t>(height * width);
    return {{.name = "x", .elements = elements, .columns = width},
            {.name = "across", .elements = side},
            {.name = "down", .elements = side},
            {.name = "y", .elements = elements, .is_output = true, .columns = width}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto across = in[1].as<float>(), down = in[2].as<float>();
    std::vector<float> centre(side);
    centre[reach] = 1;
    return {{"the weights across and down are exchanged", filtered(c, in, down, across)},
            {"only the sums along the rows are computed", filtered(c, in, across, centre)},
            {"only the sums along the columns are computed", filtered(c, in, centre, down)}};
  }

 private:
  static Reference filtered(const Case &c, const std::vector<run::HostBuffer> &in,
                            std::span<const float> across, std::span<const float> down) {
    const std::int64_t height = c.integers.at(0), width = c.integers.at(1);
    const auto x = in[0].as<float>();
    return sums(height, width, [&](std::int64_t r, std::int64_t k) {
      Sum sum;
      for (std::int64_t row = std::max<std::int64_t>(r - reach, 0); row <= std::min(r + reach, height - 1);
           ++row)
        for (std::int64_t column = std::max<std::int64_t>(k - reach, 0);
             column <= std::min(k + reach, width - 1); ++column)
          sum.add(static_cast<double>(down[static_cast<std::size_t>(row - r + reach)]) *
                  across[static_cast<std::size_t>(column - k + reach)] *
                  x[static_cast<std::size_t>(row * width + column)]);
      return sum;
    });
  }
};

class Stencil final : public ArrayProblem {
 public:
  Stencil()
      : ArrayProblem(
            {.name = "stencil",
             .launcher = "int depth, int height, int width, float a, float b, const float *x, float *y",
             .integers = {{"depth", 0, 1024}, {"height", 0, 1024}, {"width", 0, 1024}},
             .reals = {{"a", 0.4}, {"b", 0.1}},
             .routine = Routine::copy}) {}
  /// Five additions among the neighbours, two products and one more addition.
  double flops(const Case &c) const override { return 8.0 * static_cast<double>(outputs(c)); }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return relaxed(c, in, {});
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto elements = static_cast<std::uint64_t>(c.integers.at(0) * c.integers.at(1) * c.integers.at(2));
    return {{.name = "x", .elements = elements, .columns = c.integers.at(2)},
            {.name = "y", .elements = elements, .is_output = true, .columns = c.integers.at(2)}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return awkward_element(seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return {{"the planes above and below are left out", relaxed(c, in, {.above = false, .below = false})},
            {"the plane below is left out", relaxed(c, in, {.below = false})},
            {"the plane above is left out", relaxed(c, in, {.above = false})},
            {"beyond the edges, the nearest element is taken, not 0", relaxed(c, in, {.clamps = true})},
            {"before the first element of a row, the last one of the row before is taken, not 0",
             relaxed(c, in, {.wraps_before = true})},
            {"after the last element of a row, the first one of the next row is used, not 0",
             relaxed(c, in, {.wraps_behind = true})},
            {"beyond the ends of a row, elements of other rows are taken, not 0",
             relaxed(c, in, {.wraps_before = true, .wraps_behind = true})}};
  }

 private:
  struct Variant {
    bool above = true, below = true;                  ///< whether the planes are there
    bool clamps = false;                              ///< what is taken beyond the edges
    bool wraps_before = false, wraps_behind = false;  ///< whether a row of a plane goes on in the next one
  };
  static Reference relaxed(const Case &c, const std::vector<run::HostBuffer> &in, const Variant &variant) {
    const std::int64_t depth = c.integers.at(0), height = c.integers.at(1), width = c.integers.at(2);
    const double a = static_cast<float>(c.reals.at(0)), b = static_cast<float>(c.reals.at(1));
    const auto x = in[0].as<float>();
    const auto at = [&](std::int64_t z, std::int64_t r, std::int64_t k) {
      if (variant.clamps) {
        z = std::clamp<std::int64_t>(z, 0, depth - 1);
        r = std::clamp<std::int64_t>(r, 0, height - 1);
        k = std::clamp<std::int64_t>(k, 0, width - 1);
      }
      if (variant.wraps_before && k < 0 && r > 0) k += width, --r;
      if (variant.wraps_behind && k >= width && r + 1 < height) k -= width, ++r;
      const bool outside = z < 0 || z >= depth || r < 0 || r >= height || k < 0 || k >= width;
      return outside ? 0.0 : double{x[static_cast<std::size_t>((z * height + r) * width + k)]};
    };
    return sums(depth * height, width, [&](std::int64_t row, std::int64_t k) {
      const std::int64_t z = row / height, r = row % height;
      Sum sum;
      sum.add(a * at(z, r, k));
      for (const double neighbour :
           {at(z, r - 1, k), at(z, r + 1, k), at(z, r, k - 1), at(z, r, k + 1),
            variant.above ? at(z - 1, r, k) : 0.0, variant.below ? at(z + 1, r, k) : 0.0})
        sum.add(b * neighbour);
      return sum;
    });
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Filter(), Separable(), Stencil())
