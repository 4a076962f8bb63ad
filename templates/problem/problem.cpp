// @NAME@: y[i] is the mean of x[i] and its two neighbours; beyond the ends, x is 0.
#include <cmath>

#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

class Means final : public ArrayProblem {
 public:
  Means()
      : ArrayProblem({.name = "@NAME@",
                      .launcher = "int n, const float *x, float *y",  // the only place that declares it
                      .integers = {{"n", 1, 1 << 24}}}) {}            // each with its smallest and largest value

  /// What is right, in double precision, and a scale for each element: `tolerance` times this is how far a result may be
  /// off. Two additions and a division round three times, each by at most 2^-24 of the sum of magnitudes.
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return means(c, in, 1);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers.at(0));
    return {{.name = "x", .elements = n}, {.name = "y", .elements = n, .is_output = true}};
  }
  /// Element i of x, or of y before the run: a function of the seed, and different in each array.
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return bits_of(awkward_float(random_bits(seed, array + 1, i), 1, 4));
  }
  /// Mistakes that students make; one that gives exactly their result is named.
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return {{"it is x: the neighbours are left out", means(c, in, 0)}};
  }

 private:
  static Reference means(const Case &c, const std::vector<run::HostBuffer> &in, std::int64_t reach) {
    const auto x = in[0].as<float>();
    const std::int64_t n = c.integers.at(0);
    Reference ref;
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0, magnitudes = 0;
      for (std::int64_t k = i - reach; k <= i + reach; ++k) {
        if (k < 0 || k >= n) continue;
        sum += x[static_cast<std::size_t>(k)];
        magnitudes += std::fabs(x[static_cast<std::size_t>(k)]);
      }
      const auto count = static_cast<double>(2 * reach + 1);
      ref.want.push_back(sum / count);
      ref.scale.push_back(magnitudes / count);
    }
    return ref;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Means())
