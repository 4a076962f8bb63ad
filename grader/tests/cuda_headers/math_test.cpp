// Every mathematical function of the clang front end's headers, on the simulator, against the host's long
// double: at special values, near them, and at random ones. The errors allowed are those of the CUDA C++
// Programming Guide.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/cuda_headers/kernels.hpp"

namespace warpgrade {
namespace {

using Real = long double;
constexpr double inf = std::numeric_limits<double>::infinity();

/// Where a function is tested: magnitudes from 2^low to 2^high, with both signs unless `positive`.
struct Range {
  int low, high;
  bool positive = false;
};

struct Function {
  const char *name;
  std::function<Real(Real, Real)> on_host;
  Range a;
  double double_ulps, float_ulps;  ///< negative: not tested in this precision
  Range b = {0, 0};
};

Real exp10_of(Real a, Real) {
  return std::pow(Real{10}, a);
}
Real pi() {
  return std::acos(Real{-1});
}
Real sinpi_of(Real a, Real) {
  const Real rest = std::remainder(a, Real{2});
  if (rest == std::trunc(rest)) return std::copysign(Real{0}, a);
  return std::sin(pi() * (std::fabs(rest) > 0.5L ? std::copysign(Real{1}, rest) - rest : rest));
}
Real cospi_of(Real a, Real) {
  const Real rest = std::fabs(std::remainder(a, Real{2}));
  return std::sin(pi() * (0.5L - rest));
}
#define HOST(f) [](Real a, Real) -> Real { return std::f(a); }
#define HOST_TWO(f) [](Real a, Real b) -> Real { return std::f(a, b); }

const Function functions[] = {
    {"sin", HOST(sin), {-30, 1023}, 2, 2},
    {"cos", HOST(cos), {-30, 1023}, 2, 2},
    {"tan", HOST(tan), {-30, 1023}, 2, 4},
    {"sinpi", sinpi_of, {-30, 40}, 2, 1},
    {"cospi", cospi_of, {-30, 40}, 2, 1},
    {"asin", HOST(asin), {-30, 0}, 2, 2},
    {"acos", HOST(acos), {-30, 0}, 2, 2},
    {"atan", HOST(atan), {-40, 60}, 2, 2},
    {"sinh", HOST(sinh), {-30, 9}, 2, 3},
    {"cosh", HOST(cosh), {-30, 9}, 1, 2},
    {"tanh", HOST(tanh), {-30, 5}, 1, 2},
    {"asinh", HOST(asinh), {-30, 200}, 3, 3},
    {"acosh", [](Real a, Real) -> Real { return std::acosh(a); }, {0, 200, true}, 3, 4},
    {"atanh", HOST(atanh), {-30, 0}, 2, 3},
    {"exp", HOST(exp), {-40, 9}, 1, 1},
    {"exp2", HOST(exp2), {-40, 10}, 1, 2},
    {"exp10", exp10_of, {-40, 8}, 1, 2},
    {"expm1", HOST(expm1), {-40, 9}, 1, 1},
    {"log", HOST(log), {-1022, 1023, true}, 1, 1},
    {"log2", HOST(log2), {-1022, 1023, true}, 1, 1},
    {"log10", HOST(log10), {-1022, 1023, true}, 1, 2},
    {"log1p", HOST(log1p), {-40, 300, true}, 1, 1},
    {"logb", HOST(logb), {-1022, 1023}, 0, 0},
    {"cbrt", HOST(cbrt), {-1022, 1023}, 1, 1},
    {"erf", HOST(erf), {-30, 3}, 2, 2},
    {"erfc", HOST(erfc), {-30, 4}, 5, 4},
    {"sqrt", HOST(sqrt), {-1022, 1023, true}, 0, 0},
    {"rsqrt", [](Real a, Real) -> Real { return 1 / std::sqrt(a); }, {-1000, 1000, true}, 1, 2},
    {"fabs", HOST(fabs), {-100, 100}, 0, 0},
    {"floor", HOST(floor), {-3, 60}, 0, 0},
    {"ceil", HOST(ceil), {-3, 60}, 0, 0},
    {"trunc", HOST(trunc), {-3, 60}, 0, 0},
    {"rint", HOST(rint), {-3, 60}, 0, 0},
    {"nearbyint", HOST(nearbyint), {-3, 60}, 0, 0},
    {"round", HOST(round), {-3, 60}, 0, 0},
    {"pow", HOST_TWO(pow), {-60, 60, true}, 2, 4, {-4, 3}},
    {"atan2", HOST_TWO(atan2), {-60, 60}, 2, 3, {-60, 60}},
    {"fmod", HOST_TWO(fmod), {-3, 100}, 0, 0, {-3, 30}},
    {"remainder", HOST_TWO(remainder), {-3, 100}, 0, 0, {-3, 30}},
    {"hypot", HOST_TWO(hypot), {-1000, 1000}, 2, 3, {-1000, 1000}},
    {"fdim", HOST_TWO(fdim), {-3, 3}, 0, 0, {-3, 3}},
    {"fmin", HOST_TWO(fmin), {-3, 3}, 0, 0, {-3, 3}},
    {"fmax", HOST_TWO(fmax), {-3, 3}, 0, 0, {-3, 3}},
    {"copysign", HOST_TWO(copysign), {-3, 3}, 0, 0, {-3, 3}},
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Random values of all magnitudes in a range, those near whole numbers and quarters of pi, and special ones.
template <class T>
std::vector<T> values(const Range &range, std::mt19937_64 &random, std::size_t count) {
  const int high = sizeof(T) == 4 ? std::min(range.high, 127) : range.high;
  const int low = sizeof(T) == 4 ? std::max(range.low, -126) : range.low;
  std::vector<T> all;
  for (const double special :
       {0.0, 1.0, 2.0, 3.0, 10.0, 0.5, 0.25, 0.75, 1.5, 2.5, 1e-30, inf, std::nan(""), 0.78539816339744828,
        1.5707963267948966, 3.1415926535897931, static_cast<double>(std::numeric_limits<T>::min()),
        static_cast<double>(std::numeric_limits<T>::denorm_min()),
        static_cast<double>(std::numeric_limits<T>::max())}) {
    all.push_back(static_cast<T>(special));
    all.push_back(static_cast<T>(-special));
  }
  while (all.size() < count) {
    const double magnitude = std::uniform_real_distribution<double>(low, high)(random);
    T value = static_cast<T>(std::exp2(magnitude));
    if (random() % 8 == 0) value = std::nextafter(std::rint(value), random() % 2 ? T(0) : T(1e30));
    if (!range.positive && random() % 2) value = -value;
    all.push_back(value);
  }
  return all;
}

/// How far `got` is from `want`, in units of the last place of `want` as a T.
template <class T>
double ulps(T got, Real want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : inf;
  const T rounded = static_cast<T>(want);
  if (got == rounded) return std::signbit(got) == std::signbit(rounded) || got != 0 ? 0 : inf;
  if (std::isnan(got)) return inf;
  const T size = std::min(std::fabs(rounded), std::numeric_limits<T>::max());
  const T unit = std::nextafter(size, T(0)) == size ? std::numeric_limits<T>::denorm_min()
                                                    : size - std::nextafter(size, T(0));
  const Real off = std::isinf(got) ? std::numeric_limits<T>::max() : std::fabs(got - want);
  return static_cast<double>(off / std::max(unit, std::numeric_limits<T>::denorm_min()));
}

template <class T>
void check(const Function &f, double allowed) {
  constexpr std::size_t count = 4096;
  constexpr std::uint64_t seed = 20240807;
  std::mt19937_64 random(seed);
  std::vector<T> a = values<T>(f.a, random, count), b(count, T(0));
  if (f.b.low != f.b.high) {
    b = values<T>(f.b, random, count);
    std::shuffle(b.begin(), b.end(), random);
  }
  const std::string kernel = std::string(f.name) + (sizeof(T) == 4 ? "_float" : "_double");
  const std::vector<T> got = tests::apply<T>("math_functions", kernel, a, b);
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double off = ulps(got[i], f.on_host(a[i], b[i]));
    if (off > worst) worst = off, at = i;
  }
  // Rounding the reference costs half a unit, which the guide's whole numbers include.
  EXPECT_LE(worst, allowed == 0 ? 0.5 : allowed)
      << kernel << "(" << a[at] << ", " << b[at] << ") is " << got[at] << ", should be "
      << static_cast<T>(f.on_host(a[at], b[at])) << "; seed " << seed;
  ::testing::Test::RecordProperty(kernel, std::to_string(worst));
}

class Mathematics : public ::testing::TestWithParam<Function> {};
TEST_P(Mathematics, OfDoublesIsWithinTheDocumentedError) {
  check<double>(GetParam(), GetParam().double_ulps);
}
TEST_P(Mathematics, OfFloatsIsWithinTheDocumentedError) {
  check<float>(GetParam(), GetParam().float_ulps);
}
INSTANTIATE_TEST_SUITE_P(Functions, Mathematics, ::testing::ValuesIn(functions),
                         [](const auto &function) { return std::string(function.param.name); });

TEST(Mathematics, NextafterGivesTheNextNumber) {
  std::mt19937_64 random(7);
  const auto a = values<double>({-1000, 1000}, random, 1024), b = values<double>({-1000, 1000}, random, 1024);
  const auto got = tests::apply<double>("math_functions", "nextafter_double", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double want = std::nextafter(a[i], b[i]);
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got[i])
                                 : std::bit_cast<std::uint64_t>(got[i]) == std::bit_cast<std::uint64_t>(want))
        << a[i] << ' ' << b[i];
  }
}

/// The guide's error bound of an approximation: a number of ulps, or an absolute error.
struct Approximation {
  const char *name;
  std::function<Real(Real, Real)> on_host;
  double low, high;
  double ulps, absolute;
};
TEST(Mathematics, ApproximationsAreWithinTheirDocumentedErrors) {
  const Approximation all[] = {
      {"sinf", HOST(sin), -3.14, 3.14, 0, 0x1p-20},
      {"cosf", HOST(cos), -3.14, 3.14, 0, 0x1p-20},
      {"expf", HOST(exp), -80, 80, 2 + 1.16 * 80 + 2, 0},
      {"exp10f", exp10_of, -30, 30, 2 + 2.97 * 30 + 2, 0},
      {"logf", HOST(log), 0.01, 100, 3, 0x1p-20},
      {"log2f", HOST(log2), 0.01, 100, 2, 0x1p-20},
      {"log10f", HOST(log10), 0.01, 100, 2, 0x1p-20},
      {"saturatef", [](Real a, Real) -> Real { return std::clamp<Real>(a, 0, 1); }, -2, 2, 0.5, 0},
      {"frsqrt_rn", [](Real a, Real) -> Real { return 1 / std::sqrt(a); }, 0.001, 1000, 0.5, 0},
      {"fdividef", [](Real a, Real b) -> Real { return a / b; }, 0.1, 100, 2, 0},
  };
  for (const Approximation &f : all) {
    std::mt19937_64 random(11);
    std::vector<float> a(1024), b(1024);
    for (float &x : a) x = static_cast<float>(std::uniform_real_distribution<double>(f.low, f.high)(random));
    for (float &x : b) x = static_cast<float>(std::uniform_real_distribution<double>(f.low, f.high)(random));
    const auto got = tests::apply<float>("math_functions", std::string(f.name) + "_float", a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Real want = f.on_host(a[i], b[i]);
      EXPECT_TRUE(ulps(got[i], want) <= f.ulps || std::fabs(got[i] - want) <= f.absolute)
          << f.name << '(' << a[i] << ") is " << got[i] << ", should be " << want;
    }
  }
}

}  // namespace
}  // namespace warpgrade
