// The bound of multi-head attention must accept sums in single precision in any order, with weights in single
// precision or rounded to the type of the values, at every size that the assignment grades. It must reject a
// wrong scale, a mask that is off by one, a key that was left out, sums of weights in half precision, and
// zeros.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "course/assignment.hpp"
#include "problem/problem.hpp"
#include "tests/places.hpp"
#include "tests/problem/arithmetic.hpp"

namespace warpgrade {
namespace {

using problem::Type;

/// How an emulated kernel computes.
struct AttentionWay {
  std::string name;
  double scale = 1;                          // times 1 / sqrt(width)
  int mask = 0;                              // by how many keys a causal mask is off
  std::size_t dropped = 0;                   // keys at the end of a head that are left out
  bool on_tensor_cores = false;              // 16 products at a time, rounded towards zero; rounded weights
  bool sums_rounded = false;                 // the sum has the rounded weights
  std::size_t lanes = 1, bits_of_sums = 23;  // of the sums of weights
  bool zeros = false;
};

float towards_zero(double value) {
  const auto nearest = static_cast<float>(value);
  return std::fabs(nearest) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}

/// A head that is read from the buffers of a case.
class Head {
 public:
  Head(const problem::Problem &p, const problem::Case &c, std::uint64_t seed)
      : type_(p.name() == "multi_head_attention" ? Type::bf16 : Type::f16),
        length_(static_cast<std::size_t>(c.integers[2])),
        width_(static_cast<std::size_t>(c.integers[3])),
        causal_(c.integers[4] == 1) {
    const auto in = p.inputs(c, seed);
    for (int i = 0; i < 3; ++i)
      for (const std::uint16_t bits : in[i].as<std::uint16_t>().first(length_ * width_))
        numbers_[i].push_back(static_cast<float>(problem::value_of(type_, bits)));
  }

  std::vector<float> computed(const AttentionWay &way) const {
    std::vector<float> all;
    for (std::size_t query = 0; query < length_; ++query) add_row(way, query, all);
    return all;
  }

 private:
  void add_row(const AttentionWay &way, std::size_t query, std::vector<float> &all) const {
    std::size_t seen = length_ - std::min(way.dropped, length_);
    if (causal_)
      seen = static_cast<std::size_t>(std::clamp<std::int64_t>(
          static_cast<std::int64_t>(query) + 1 + way.mask, 0, static_cast<std::int64_t>(seen)));
    std::vector<float> weights;
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t key = 0; key < seen; ++key) {
      const auto product = [&](std::size_t d) {
        return double{numbers_[0][query * width_ + d]} * numbers_[1][key * width_ + d];
      };
      weights.push_back(summed(way, width_, product) *
                        static_cast<float>(way.scale / std::sqrt(static_cast<double>(width_))));
      largest = std::max(largest, weights.back());
    }
    std::vector<float> sums(way.lanes);
    for (std::size_t key = 0; key < seen; ++key) {
      const float weight = std::exp(weights[key] - largest);
      const auto rounded = static_cast<float>(problem::value_of(type_, problem::encode(type_, weight)));
      float &sum = sums[key % way.lanes];
      sum += way.sums_rounded ? rounded : weight;
      if (way.bits_of_sums < 23) sum = tests::round_mantissa(sum, static_cast<int>(way.bits_of_sums));
      weights[key] = way.on_tensor_cores ? rounded : weight;
    }
    float sum = 0;
    for (const float one : sums) sum += one;
    for (std::size_t d = 0; d < width_; ++d) {
      const float mean = summed(
          way, seen, [&](std::size_t key) { return double{weights[key]} * numbers_[2][key * width_ + d]; });
      all.push_back(way.zeros ? 0.0f : mean / sum);
    }
  }

  /// product(0) + product(1) + ...
  template <typename Product>
  static float summed(const AttentionWay &way, std::size_t n, const Product &product) {
    float sum = 0;
    if (!way.on_tensor_cores) {
      for (std::size_t i = 0; i < n; ++i) sum = static_cast<float>(sum + product(i));
      return sum;
    }
    for (std::size_t i = 0; i < n;) {
      double some = sum;
      for (const std::size_t end = std::min(i + 16, n); i < end; ++i) some += product(i);
      sum = towards_zero(some);
    }
    return sum;
  }

  Type type_;
  std::size_t length_, width_;
  bool causal_;
  std::vector<float> numbers_[3];
};

/// The cases of the assignment, one head of each; the longest that is graded is cut to what a host computes.
std::map<std::string, problem::Case> graded_attention() {
  std::map<std::string, problem::Case> cases;
  const auto assignment = course::read_assignment(std::string(place::assignments) + "/attention");
  for (const course::Step &step : assignment.steps)
    for (const course::Case &c : step.cases) {
      problem::Case one = c.values;
      one.integers[0] = one.integers[1] = 1;
      cases.emplace(c.name, one);
    }
  return cases;
}

/// A case with its reference, for many ways.
class AttentionCase {
 public:
  AttentionCase(const char *name, const problem::Case &c, std::uint64_t seed)
      : head_(*problem::find_problem(name), c, seed),
        right_(problem::find_problem(name)->reference(c, problem::find_problem(name)->inputs(c, seed))) {}

  /// The largest error of a way, in units of what is allowed; infinite for NaN.
  double worst_error(const AttentionWay &way) const {
    constexpr double tolerance = 6e-8;
    const std::vector<float> got = head_.computed(way);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(got[i] - right_.want[i]) / (tolerance * right_.scale[i]);
      worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    return worst;
  }

 private:
  Head head_;
  problem::Reference right_;
};

constexpr const char *attention_problems[] = {"multi_head_attention", "multi_head_attention_half"};

/// Long sequences are tried in the graded type alone.
bool takes_long(const std::string &name, const problem::Case &c) {
  return name != attention_problems[0] && c.integers[2] > 300;
}

TEST(AttentionTolerance, PassesSumsInSinglePrecisionWithRoomAtEveryGradedSize) {
  const AttentionWay ways[] = {
      {.name = "no tensor cores"},
      {.name = "no tensor cores, four lanes", .lanes = 4},
      {.name = "tensor cores", .on_tensor_cores = true, .lanes = 4},
      {.name = "tensor cores, sums of rounded weights", .on_tensor_cores = true, .sums_rounded = true}};
  for (const char *name : attention_problems)
    for (const auto &[size, c] : graded_attention()) {
      if (takes_long(name, c)) continue;
      const AttentionCase one(name, c, 42);
      for (const AttentionWay &way : ways)
        EXPECT_LT(one.worst_error(way), 0.75) << name << ", " << way.name << " at " << size << ", seed 42";
    }
}

TEST(AttentionTolerance, RejectsAWrongScaleALostKeyAWrongMaskAndZerosAtEveryGradedSizeThatHasThem) {
  for (const char *name : attention_problems)
    for (const auto &[size, c] : graded_attention()) {
      if (takes_long(name, c)) continue;
      const AttentionCase one(name, c, 42);
      const bool several = c.integers[2] > 1, causal = c.integers[4] == 1;
      const bool scaled = several && c.integers[6] == 0;  // scores of equal keys do not matter
      std::vector<AttentionWay> wrong = {{.name = "zeros", .zeros = true}};
      if (scaled) wrong.push_back({.name = "no scale", .scale = 8});
      if (scaled) wrong.push_back({.name = "scaled by the width", .scale = 0.125});
      if (several && !causal) wrong.push_back({.name = "the last key is lost", .dropped = 1});
      if (several && causal) wrong.push_back({.name = "a query does not see its own key", .mask = -1});
      if (several && causal) wrong.push_back({.name = "a query sees the next key", .mask = 1});
      for (const AttentionWay &way : wrong)
        EXPECT_GT(one.worst_error(way), 3) << name << ", " << way.name << " at " << size;
    }
}

TEST(AttentionTolerance, RejectsSumsOfWeightsInHalfPrecisionAtLengthsFrom64On) {
  const AttentionWay one_thread{.name = "one thread", .on_tensor_cores = true, .bits_of_sums = 10},
      four_lanes{.name = "four lanes", .on_tensor_cores = true, .lanes = 4, .bits_of_sums = 10};
  for (const auto &[size, c] : graded_attention()) {
    const bool large = c.integers[5] == 1;  // then a few weights are all of the sum
    const bool equal = c.integers[6] == 1;  // then the sum is a number of keys, which a half holds
    if (c.integers[2] < 64 || large || equal) continue;
    if (!takes_long("half", c)) {
      EXPECT_GT(AttentionCase("multi_head_attention_half", c, 42).worst_error(four_lanes), 1.5) << size;
    }
    EXPECT_GT(AttentionCase("multi_head_attention", c, 42).worst_error(one_thread), 1) << size;
  }
}

}  // namespace
}  // namespace warpgrade
