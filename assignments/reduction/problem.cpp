// sum: the sum of n floats. argmin: where the smallest of n floats is; the first place if there are several.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 24;

/// The sum of numbers of two kinds.
///
/// exact = 1 (sorted = 1: in growing order, 2: in falling order; equal = 1: all alike): multiples of 1/8
/// between -1 and 1 up to n = 2^21, and from there on 1 or -1. Every partial sum is a multiple of the unit
/// and less than 2^24 units, which a float holds: additions do not round, so every order gives the same sum,
/// and the result must be equal. exact = 0: any floats between 0.5 and 1, of either sign. However the
/// additions are grouped, each of the d additions that an element takes part in adds at most 2^-24 of the sum
/// of magnitudes, so the error is at most d * 2^-24 * sum |x|. The assignment's tolerance says which d is
/// accepted. Such cases must be short enough that an element left out is found.
class Sum final : public ArrayProblem {
 public:
  Sum()
      : ArrayProblem({.name = "sum",
                      .launcher = "int n, const float *x, float *sum",
                      .integers = {{"n", 0, longest},
                                   {.name = "exact", .least = 0, .most = 1, .otherwise = 1, .size = false},
                                   {.name = "sorted", .least = 0, .most = 2, .otherwise = 0, .size = false},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}},
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
    return element_of_sum(c.integers.at(0), c.integers.at(1) == 1,
                          order_of(c.integers.at(2), c.integers.at(3)), seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto n = static_cast<std::size_t>(c.integers.at(0));
    Reference old = reference(c, in);
    const double held = in[1].as<float>()[0];
    old.want[0] += held;
    // Such a sum does round, once for each block.
    double magnitudes = std::fabs(held);
    for (const float x : in[0].as<float>()) magnitudes += std::fabs(x);
    old.scale[0] = static_cast<double>(n / 256 + 1) * magnitudes;
    std::vector<Hypothesis> all = {
        {"the old value of the sum is added: it must be cleared first", old},
        {"the sum is never written", {{held}, {0.0}}},
        {"every element is added twice", weighted(c, in, [](std::size_t) { return 2; })},
        {"every second element is left out: the last round of additions is missing",
         weighted(c, in, [](std::size_t i) { return i % 2 == 0; })},
        {"only the first warp of each block is in the sum",
         weighted(c, in, [](std::size_t i) { return i % 256 < 32; })},
        // Lane l of the first warp holds the sum of the warps from l on: warp w is added w + 1 times.
        {"every lane of the first warp adds its sum, not only lane 0",
         weighted(c, in, [](std::size_t i) { return i % 256 / 32 + 1; })}};
    for (const std::size_t block : {256, 512, 2048}) {
      all.push_back({"only the first block's elements are added", sum_of(c, in, std::min(n, block))});
      all.push_back(
          {"only whole blocks are added: the last elements are left out", sum_of(c, in, n / block * block)});
      // As many blocks as are needed, but each begins 256 elements after the one before it.
      const std::size_t blocks = (n + block - 1) / block, step = 256;
      all.push_back({"blocks overlap: each must begin where the one before it ends",
                     weighted(c, in, [&](std::size_t i) {
                       const std::size_t before = i < block ? 0 : (i - block) / step + 1;
                       return std::min(i / step + 1, blocks) - std::min(before, blocks);
                     })});
    }
    all.push_back({"the last element is left out", sum_of(c, in, n > 0 ? n - 1 : 0)});
    return all;
  }

 private:
  static Reference sum_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t elements) {
    return weighted(c, in, [=](std::size_t i) { return i < elements; });
  }
  /// times(i): how often element i is added
  template <typename Times>
  static Reference weighted(const Case &c, const std::vector<run::HostBuffer> &in, const Times &times) {
    const auto x = in[0].as<float>();
    double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double all = static_cast<double>(times(i)) * x[i];
      sum += all;
      magnitudes += std::fabs(all);
    }
    return {{sum}, {c.integers.at(1) == 1 ? 0.0 : magnitudes}};
  }
};

/// The numbers are multiples of 1/16 between -8 and 8, so that the smallest is there often. sorted = 1: they
/// grow; 2: they fall.
class ArgMin final : public ArrayProblem {
 public:
  ArgMin()
      : ArrayProblem({.name = "argmin",
                      .launcher = "int n, const float *x, int *place",
                      .integers = {{"n", 1, longest},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false},
                                   {.name = "sorted", .least = 0, .most = 2, .otherwise = 0, .size = false}},
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
    return element_of_argmin(c.integers.at(0), order_of(c.integers.at(2), c.integers.at(1)), seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &, const std::vector<run::HostBuffer> &in) const override {
    const auto x = in[0].as<float>();
    const auto least = std::min_element(x.begin(), x.end());
    const auto last = std::find(x.rbegin(), x.rend(), *least);
    std::vector<Hypothesis> all = {
        {"it is the last place of the smallest number, not the first", at(x.rend() - last - 1)},
        {"it is the place of the largest number", at(std::max_element(x.begin(), x.end()) - x.begin())},
        {"equal numbers are compared without their places: the smaller place must win",
         at(without_places(x))}};
    for (const std::ptrdiff_t block : {256, 512, 1024}) {
      std::ptrdiff_t place = least - x.begin();
      for (auto left = static_cast<std::ptrdiff_t>(x.size()); left > block; left = (left + block - 1) / block)
        place /= block;
      all.push_back({"it is a place among the results of the blocks, not a place in x", at(place)});
    }
    return all;
  }

 private:
  static Reference at(std::ptrdiff_t place) { return {{static_cast<double>(place)}, {0.0}}; }

  /// The place that rounds over halves of 256 elements leave, if the first of two equal numbers stays: the
  /// one whose lowest bits, from the last one on, are 0. The results of the blocks are compared alike.
  static std::ptrdiff_t without_places(std::span<const float> x) {
    const auto order = [](std::size_t place) {
      std::size_t reversed = 0;
      for (int bit = 0; bit < 8; ++bit) reversed |= (place >> bit & 1) << (7 - bit);
      return reversed;
    };
    std::vector<std::size_t> places(x.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    while (places.size() > 1) {
      std::vector<std::size_t> winners;
      for (std::size_t first = 0; first < places.size(); first += 256) {
        std::size_t best = 0;
        for (std::size_t t = 1; t < std::min<std::size_t>(256, places.size() - first); ++t) {
          const float value = x[places[first + t]], smallest = x[places[first + best]];
          if (value < smallest || (value == smallest && order(t) < order(best))) best = t;
        }
        winners.push_back(places[first + best]);
      }
      places = std::move(winners);
    }
    return static_cast<std::ptrdiff_t>(places[0]);
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Sum(), ArgMin())
