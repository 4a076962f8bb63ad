// sum: the sum of n floats. argmin: where the smallest of n floats is; the first place if there are several.
#include <algorithm>
#include <cmath>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;

/// The sum of numbers of two kinds.
///
/// exact = 1: multiples of 1/8 between -1 and 1 up to n = 2^21, and from there on 1 or -1. Every partial sum
/// is a multiple of the unit and less than 2^24 units, which a float holds: additions do not round, so every
/// order gives the same sum, and the result must be equal. exact = 0: any floats between 0.5 and 1, of either
/// sign. However the additions are grouped, each of the d additions that an element takes part in adds at
/// most 2^-24 of the sum of magnitudes, so the error is at most d * 2^-24 * sum |x|. The assignment's
/// tolerance says which d is accepted. Such cases must be short enough that an element left out is found.
class Sum final : public ArrayProblem {
 public:
  Sum()
      : ArrayProblem({.name = "sum",
                      .launcher = "int n, const float *x, float *sum",
                      .integers = {{"n", 0, longest},
                                   {.name = "exact", .least = 0, .most = 1, .otherwise = 1, .size = false}},
                      .routine = Routine::sum}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  /// n - 1 additions.
  double flops(const Case &c) const override {
    return std::max(0.0, static_cast<double>(c.integers.at(0)) - 1);
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sum_of(c, in, static_cast<std::size_t>(c.integers.at(0)));
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = static_cast<std::uint64_t>(c.integers.at(0))},
            {.name = "sum", .elements = 1, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_sum(c.integers.at(0), c.integers.at(1) == 1, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto n = static_cast<std::size_t>(c.integers.at(0));
    Reference old = sum_of(c, in, n);
    old.want[0] += in[1].as<float>()[0];
    old.scale[0] = 1 + std::fabs(old.want[0]);  // this sum does round
    Reference twice = sum_of(c, in, n);
    twice.want[0] *= 2;
    std::vector<Hypothesis> all = {{"the old value of the sum is added: it must be cleared first", old},
                                   {"every element is added twice", twice}};
    for (const std::size_t block : {256, 512}) {
      all.push_back({"only the first block's elements are added", sum_of(c, in, std::min(n, block))});
      all.push_back(
          {"only whole blocks are added: the last elements are left out", sum_of(c, in, n / block * block)});
    }
    all.push_back({"the last element is left out", sum_of(c, in, n > 0 ? n - 1 : 0)});
    return all;
  }

 private:
  static Reference sum_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t elements) {
    const auto x = in[0].as<float>();
    double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      sum += x[i];
      magnitudes += std::fabs(x[i]);
    }
    return {{sum}, {c.integers.at(1) == 1 ? 0.0 : magnitudes}};
  }
};

/// The numbers are multiples of 1/16 between -8 and 8, so that the smallest is there often.
class ArgMin final : public ArrayProblem {
 public:
  ArgMin()
      : ArrayProblem({.name = "argmin",
                      .launcher = "int n, const float *x, int *place",
                      .integers = {{"n", 1, longest},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}},
                      .routine = Routine::arg_min}) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &in) const override {
    const auto x = in[0].as<float>();
    return at(std::min_element(x.begin(), x.end()) - x.begin());
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = static_cast<std::uint64_t>(c.integers.at(0))},
            {.name = "place", .elements = 1, .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_argmin(c.integers.at(1) == 1, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &, const std::vector<run::HostBuffer> &in) const override {
    const auto x = in[0].as<float>();
    const auto least = std::min_element(x.begin(), x.end());
    const auto last = std::find(x.rbegin(), x.rend(), *least);
    return {{"it is the last place of the smallest number, not the first", at(x.rend() - last - 1)},
            {"it is the place of the largest number", at(std::max_element(x.begin(), x.end()) - x.begin())}};
  }

 private:
  static Reference at(std::ptrdiff_t place) { return {{static_cast<double>(place)}, {0.0}}; }
};

}  // namespace

WARPGRADE_PROBLEMS(Sum(), ArgMin())
