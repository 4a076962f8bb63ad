// sum: the sum of n floats. argmin: where the smallest of n floats is; the first place if there are several.
// And the problems of the variants: see variants.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "elements.hpp"
#include "problem/arrays.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

/// A variant's type as C++ writes it, and at the end of a problem's name.
std::string word_of(Type type) {
  return type == Type::i32 ? "int" : type == Type::f64 ? "double" : "float";
}
std::string suffix_of(Type type) {
  return type == Type::f32 ? "" : "_" + word_of(type);
}

double number(Type type, const run::HostBuffer &buffer, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.bytes.data() + i * bytes_of(type), bytes_of(type));
  return value_of(type, bits);
}

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
///
/// A variant adds other terms or numbers of another type: see element_of_variant. Ints are always exact.
class Sum final : public ArrayProblem {
 public:
  explicit Sum(Term term = Term::element, Type type = Type::f32)
      : ArrayProblem({.name = name_of(term, type),
                      .launcher = fmt::format("int n, const {0} *x, {0} *sum", word_of(type)),
                      .integers = {{"n", 0, longest},
                                   {.name = "exact", .least = 0, .most = 1, .otherwise = 1, .size = false},
                                   {.name = "sorted", .least = 0, .most = 2, .otherwise = 0, .size = false},
                                   {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false}},
                      .routine = term == Term::element && type == Type::f32 ? Routine::sum : Routine::none}),
        term_(term),
        type_(type) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  /// n - 1 additions, and the squares.
  double flops(const Case &c) const override {
    const auto n = static_cast<double>(c.integers.at(0));
    return std::max(0.0, n - 1) + (term_ == Term::square ? n : 0);
  }
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    return sum_of(c, in, static_cast<std::size_t>(c.integers.at(0)));
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = static_cast<std::uint64_t>(c.integers.at(0)), .type = type_},
            {.name = "sum", .elements = 1, .type = type_, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    const std::int64_t n = c.integers.at(0);
    const bool exact = c.integers.at(1) == 1;
    const Order order = order_of(c.integers.at(2), c.integers.at(3));
    if (term_ == Term::element && type_ == Type::f32) return element_of_sum(n, exact, order, seed, array, i);
    return element_of_variant(n, exact, order, term_, type_, seed, array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    const auto n = static_cast<std::size_t>(c.integers.at(0));
    Reference old = reference(c, in);
    const double held = number(type_, in[1], 0);
    old.want[0] += held;
    // Such a sum does round, once for each block.
    double magnitudes = std::fabs(held);
    for (std::size_t i = 0; i < n; ++i) magnitudes += std::fabs(term(in[0], i));
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
  static std::string name_of(Term term, Type type) {
    const char *const terms[] = {"sum", "sum_of_squares", "sum_of_magnitudes", "alternating_sum"};
    return terms[static_cast<std::size_t>(term)] + suffix_of(type);
  }
  /// What element i adds to the sum.
  double term(const run::HostBuffer &x, std::size_t i) const {
    const double value = number(type_, x, i);
    switch (term_) {
      case Term::square:
        return value * value;
      case Term::magnitude:
        return std::fabs(value);
      case Term::alternating:
        return i % 2 == 0 ? value : -value;
      default:
        return value;
    }
  }
  Reference sum_of(const Case &c, const std::vector<run::HostBuffer> &in, std::size_t elements) const {
    return weighted(c, in, [=](std::size_t i) { return i < elements; });
  }
  /// times(i): how often element i is added
  template <typename Times>
  Reference weighted(const Case &c, const std::vector<run::HostBuffer> &in, const Times &times) const {
    const auto n = static_cast<std::size_t>(c.integers.at(0));
    double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double all = static_cast<double>(times(i)) * term(in[0], i);
      sum += all;
      magnitudes += std::fabs(all);
    }
    const bool exact = c.integers.at(1) == 1 || is_integer(type_);
    // The tolerance is in units of a float's rounding; a double's is 2^29 times smaller.
    return {{sum}, {exact ? 0.0 : type_ == Type::f64 ? magnitudes * 0x1p-29 : magnitudes}};
  }

  Term term_;
  Type type_;
};

/// The numbers are multiples of 1/16 between -8 and 8, so that the smallest is there often. sorted = 1: they
/// grow; 2: they fall.
///
/// A variant looks for the largest number, takes the last of several places, or has numbers of another type:
/// see element_of_place.
class ArgMin final : public ArrayProblem {
 public:
  explicit ArgMin(bool largest = false, bool last = false, Type type = Type::f32)
      : ArrayProblem(
            {.name = fmt::format("{}arg{}{}", last ? "last_" : "", largest ? "max" : "min", suffix_of(type)),
             .launcher = fmt::format("int n, const {} *x, int *place", word_of(type)),
             .integers = {{"n", 1, longest},
                          {.name = "equal", .least = 0, .most = 1, .otherwise = 0, .size = false},
                          {.name = "sorted", .least = 0, .most = 2, .otherwise = 0, .size = false}},
             .routine = !largest && !last && type == Type::f32 ? Routine::arg_min : Routine::none}),
        largest_(largest),
        last_(last),
        type_(type) {}
  std::vector<std::int64_t> arguments(const Case &c) const override { return {c.integers.at(0)}; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &in) const override {
    return at(place_of(numbers(in), largest_, last_));
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = static_cast<std::uint64_t>(c.integers.at(0)), .type = type_},
            {.name = "place", .elements = 1, .type = Type::i32, .is_output = true}};
  }
  std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                        std::uint64_t i) const override {
    return element_of_place(c.integers.at(0), order_of(c.integers.at(2), c.integers.at(1)), type_, seed,
                            array, i);
  }
  std::vector<Hypothesis> hypotheses(const Case &, const std::vector<run::HostBuffer> &in) const override {
    const std::vector<double> x = numbers(in);
    const char *const wanted = largest_ ? "largest" : "smallest";
    std::vector<Hypothesis> all = {
        {fmt::format("it is the {} place of the {} number, not the {}", last_ ? "first" : "last", wanted,
                     last_ ? "last" : "first"),
         at(place_of(x, largest_, !last_))},
        {fmt::format("it is the place of the {} number", largest_ ? "smallest" : "largest"),
         at(place_of(x, !largest_, false))},
        {fmt::format("equal numbers are compared without their places: the {} place must win",
                     last_ ? "larger" : "smaller"),
         at(without_places(x))}};
    if (last_)
      all.push_back({fmt::format("it is the place of the {} number", largest_ ? "smallest" : "largest"),
                     at(place_of(x, !largest_, true))});
    for (const std::ptrdiff_t block : {256, 512, 1024}) {
      std::ptrdiff_t place = place_of(x, largest_, last_);
      for (auto left = static_cast<std::ptrdiff_t>(x.size()); left > block; left = (left + block - 1) / block)
        place /= block;
      all.push_back({"it is a place among the results of the blocks, not a place in x", at(place)});
    }
    return all;
  }

 private:
  static Reference at(std::ptrdiff_t place) { return {{static_cast<double>(place)}, {0.0}}; }

  std::vector<double> numbers(const std::vector<run::HostBuffer> &in) const {
    std::vector<double> x(in[0].bytes.size() / bytes_of(type_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = number(type_, in[0], i);
    return x;
  }

  static std::ptrdiff_t place_of(const std::vector<double> &x, bool largest, bool last) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
      if ((largest ? x[i] > x[best] : x[i] < x[best]) || (last && x[i] == x[best])) best = i;
    return static_cast<std::ptrdiff_t>(best);
  }

  /// The place that rounds over halves of 256 elements leave, if the first of two equal numbers stays: the
  /// one whose lowest bits, from the last one on, are 0. The results of the blocks are compared alike.
  std::ptrdiff_t without_places(std::span<const double> x) const {
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
          const double value = x[places[first + t]], winner = x[places[first + best]];
          const bool before = largest_ ? value > winner : value < winner;
          if (before || (value == winner && order(t) < order(best))) best = t;
        }
        winners.push_back(places[first + best]);
      }
      places = std::move(winners);
    }
    return static_cast<std::ptrdiff_t>(places[0]);
  }

  bool largest_, last_;
  Type type_;
};

/// Each problem of a variant, for numbers of each type.
template <Type type>
auto sums() {
  return std::make_tuple(Sum(Term::element, type), Sum(Term::square, type), Sum(Term::magnitude, type),
                         Sum(Term::alternating, type));
}
template <Type type>
auto places() {
  return std::make_tuple(ArgMin(false, false, type), ArgMin(true, false, type), ArgMin(false, true, type),
                         ArgMin(true, true, type));
}

}  // namespace

void WARPGRADE_ADD_PROBLEMS(Registry &registry);
void WARPGRADE_ADD_PROBLEMS(Registry &registry) {
  static const auto all = std::tuple_cat(sums<Type::f32>(), places<Type::f32>(), sums<Type::i32>(),
                                         places<Type::i32>(), sums<Type::f64>(), places<Type::f64>());
  std::apply([&](const auto &...each) { (registry.add(each), ...); }, all);
}
