#include "problem/sgemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

static_assert(__FINITE_MATH_ONLY__ == 0, "NaN must compare as NaN here");

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPGRADE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WARPGRADE_VECTOR_CLONES
#endif

namespace warpgrade::problem {

namespace {

constexpr std::int64_t largest_size = 1 << 20;  // per dimension; memory is what limits a case in practice

struct Shape {
  std::int64_t m, n, k;
  double alpha, beta;
};
Shape shape(const Case &c) {
  return {c.integers.at(0), c.integers.at(1), c.integers.at(2), c.reals.at(0), c.reals.at(1)};
}

/// want += a * b, scale += |a * b| along one row of B.
WARPGRADE_VECTOR_CLONES void add_scaled_row(double *want, double *scale, const float *b, double a,
                                            std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double product = a * static_cast<double>(b[j]);
    want[j] += product;
    scale[j] += std::fabs(product);
  }
}

/// Calls body(first, last) for slices of 0..rows on all cores.
template <typename Body>
void over_rows(std::int64_t rows, std::int64_t grain, const Body &body) {
  const std::int64_t slices = (rows + grain - 1) / grain;
  const std::int64_t workers =
      std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, std::max<std::int64_t>(slices, 1));
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t s = next++; s < slices; s = next++) body(s * grain, std::min(rows, (s + 1) * grain));
  };
  std::vector<std::thread> threads;
  for (std::int64_t w = 1; w < workers; ++w) threads.emplace_back(work);
  work();
  for (std::thread &t : threads) t.join();
}

/// Rows of the product that share one pass over B, so that B comes from the nearest cache.
constexpr std::int64_t rows_per_pass = 4;
/// Below this many multiplications a thread costs more than it saves.
constexpr double worth_threads = 4e6;

}  // namespace

const std::vector<Integer> &Sgemm::integers() const {
  static const std::vector<Integer> names = {
      {"m", 1, largest_size}, {"n", 1, largest_size}, {"k", 1, largest_size}};
  return names;
}

const std::vector<Real> &Sgemm::reals() const {
  static const std::vector<Real> names = {{"alpha", 1.0}, {"beta", 0.0}};
  return names;
}

std::string Sgemm::case_name(const Case &c) const {
  const Shape s = shape(c);
  std::string name =
      s.m == s.n && s.n == s.k ? fmt::format("m=n=k={}", s.m) : fmt::format("m={} n={} k={}", s.m, s.n, s.k);
  if (s.alpha != 1.0 || s.beta != 0.0) name += fmt::format(" alpha={:g} beta={:g}", s.alpha, s.beta);
  return name;
}

double Sgemm::flops(const Case &c) const {
  const Shape s = shape(c);
  const double results = static_cast<double>(s.m) * static_cast<double>(s.n);
  return 2.0 * results * static_cast<double>(s.k);
}

double Sgemm::compulsory_bytes(const Case &c) const {
  const Shape s = shape(c);
  const auto area = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  const double c_traffic = s.beta != 0.0 ? 2.0 : 1.0;
  return 4.0 * (area(s.m, s.k) + area(s.k, s.n) + c_traffic * area(s.m, s.n));
}

std::uint64_t Sgemm::outputs(const Case &c) const {
  const Shape s = shape(c);
  return static_cast<std::uint64_t>(s.m) * static_cast<std::uint64_t>(s.n);
}

std::vector<plan::Buffer> Sgemm::buffers(const Case &c) const {
  const Shape s = shape(c);
  const auto bytes = [](std::int64_t rows, std::int64_t cols) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * sizeof(float);
  };
  return {{plan::Owner::judge, "A", bytes(s.m, s.k)},
          {plan::Owner::judge, "B", bytes(s.k, s.n)},
          {plan::Owner::judge, "C", bytes(s.m, s.n)}};
}

std::optional<MatrixProduct> Sgemm::product(const Case &c) const {
  const Shape s = shape(c);
  // A and B lie at different distances from the numbers that shorter formats can hold, so that the roundings
  // of the two factors of a product cannot cancel.
  const auto contiguous = [](std::int64_t rows, std::int64_t cols, Fill fill) {
    return Matrix{static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols), cols, 1, fill};
  };
  return MatrixProduct{s.m,
                       s.n,
                       s.k,
                       static_cast<float>(s.alpha),
                       static_cast<float>(s.beta),
                       contiguous(s.m, s.k, {1, 3, 4}),
                       contiguous(s.k, s.n, {2, 1, 2}),
                       contiguous(s.m, s.n, {3, 1, 4})};
}

std::vector<run::HostBuffer> Sgemm::inputs(const Case &c, std::uint64_t seed) const {
  const MatrixProduct p = *product(c);
  std::vector<run::HostBuffer> made = {
      {"A", run::Role::input, {}}, {"B", run::Role::input, {}}, {"C", run::Role::in_out, {}}};
  const Matrix *matrices[] = {&p.a, &p.b, &p.c};
  for (std::size_t b = 0; b < made.size(); ++b) {
    const Fill &fill = matrices[b]->fill;
    std::vector<float> &values = made[b].values;
    values.resize(matrices[b]->elements);
    const std::uint64_t key = fill.key(seed);
    over_rows(static_cast<std::int64_t>(values.size()), 1 << 18, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) values[i] = fill.value(key, static_cast<std::uint64_t>(i));
    });
  }
  return made;
}

Reference Sgemm::reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const {
  const Shape s = shape(c);
  const float *A = inputs.at(0).values.data(), *B = inputs.at(1).values.data(),
              *C = inputs.at(2).values.data();
  Reference ref;
  ref.want.assign(outputs(c), 0.0);
  ref.scale.assign(outputs(c), 0.0);
  const std::int64_t grain = flops(c) < worth_threads ? s.m : rows_per_pass;
  over_rows(s.m, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = 0; p < s.k; ++p)
      for (std::int64_t i = first; i < last; ++i)
        add_scaled_row(&ref.want[i * s.n], &ref.scale[i * s.n], B + p * s.n, A[i * s.k + p], s.n);
    for (std::int64_t e = first * s.n; e < last * s.n; ++e) {
      const double old = C[e];
      ref.want[e] = s.alpha * ref.want[e] + s.beta * old;
      ref.scale[e] = std::fabs(s.alpha) * ref.scale[e] + std::fabs(s.beta * old);
    }
  });
  return ref;
}

Comparison Sgemm::compare(const Case &c, const std::vector<run::HostBuffer> &inputs, const Reference &ref,
                          const std::vector<run::HostBuffer> &outputs, double tolerance) const {
  const Shape s = shape(c);
  Comparison result;
  const std::vector<float> &before = inputs.at(2).values, &got = outputs.at(2).values;
  result.checked = ref.want.size();
  std::vector<bool> wrong(ref.want.size());
  for (std::size_t e = 0; e < ref.want.size(); ++e) {
    const double value = got.at(e), error = std::fabs(value - ref.want[e]),
                 allowed = tolerance * ref.scale[e];
    const bool finite = std::isfinite(value);
    const double relative = !finite      ? std::numeric_limits<double>::infinity()
                            : error == 0 ? 0.0
                                         : error / allowed;  // allowed == 0 makes it infinite: not close
    result.max_error = std::max(result.max_error, relative);
    if (error <= allowed) continue;  // written so that a NaN is never close
    wrong[e] = true;
    ++result.wrong;
    if (!finite) ++result.not_finite;
    if (std::bit_cast<std::uint32_t>(got[e]) == std::bit_cast<std::uint32_t>(before[e]))
      ++result.never_written;
    if (result.first.size() < 4) {
      const auto index = static_cast<std::int64_t>(e);
      result.first.push_back({fmt::format("C[{}, {}]", index / s.n, index % s.n), value, ref.want[e]});
    }
  }
  result.located = locate(wrong, s.m, s.n);
  result.map = map_of(wrong, s.m, s.n);
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].role != run::Role::input) continue;
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < inputs[b].values.size(); ++i)
      changed += std::bit_cast<std::uint32_t>(inputs[b].values[i]) !=
                 std::bit_cast<std::uint32_t>(outputs.at(b).values.at(i));
    if (changed > 0)
      result.changed_inputs.push_back(
          fmt::format("{} ({} element{})", inputs[b].name, changed, changed == 1 ? "" : "s"));
  }
  return result;
}

namespace {

/// Sums that the probabilistic check compares, one per row of C.
struct RowSums {
  std::vector<double> want, got, scale;
};

/// Multiplies both sides of C = alpha A B + beta C by a random vector of signs (Freivalds, 1977).
RowSums signed_row_sums(const Shape &s, const std::vector<run::HostBuffer> &in, const std::vector<float> &out,
                        std::uint64_t seed) {
  const float *A = in[0].values.data(), *B = in[1].values.data(), *C = in[2].values.data();
  std::vector<double> sign(s.n), b_signed(s.k), b_absolute(s.k);
  for (std::int64_t j = 0; j < s.n; ++j) sign[j] = sign_of_column(seed, j);
  over_rows(s.k, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p)
      for (std::int64_t j = 0; j < s.n; ++j) {
        b_signed[p] += sign[j] * B[p * s.n + j];
        b_absolute[p] += std::fabs(B[p * s.n + j]);
      }
  });
  RowSums sums{std::vector<double>(s.m), std::vector<double>(s.m), std::vector<double>(s.m)};
  over_rows(s.m, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      double product = 0, scale = 0, old = 0, old_scale = 0, got = 0;
      for (std::int64_t p = 0; p < s.k; ++p) {
        product += A[i * s.k + p] * b_signed[p];
        scale += std::fabs(A[i * s.k + p]) * b_absolute[p];
      }
      for (std::int64_t j = 0; j < s.n; ++j) {
        old += sign[j] * C[i * s.n + j];
        old_scale += std::fabs(C[i * s.n + j]);
        got += sign[j] * out[i * s.n + j];
      }
      sums.want[i] = s.alpha * product + s.beta * old;
      sums.scale[i] = std::fabs(s.alpha) * scale + std::fabs(s.beta) * old_scale;
      sums.got[i] = got;
    }
  });
  return sums;
}

/// One element of the reference: {want, scale}.
std::pair<double, double> element(const Shape &s, const std::vector<run::HostBuffer> &in, std::int64_t i,
                                  std::int64_t j) {
  double sum = 0, scale = 0;
  for (std::int64_t p = 0; p < s.k; ++p) {
    const double product = static_cast<double>(in[0].values[i * s.k + p]) * in[1].values[p * s.n + j];
    sum += product;
    scale += std::fabs(product);
  }
  const double old = in[2].values[i * s.n + j];
  return {s.alpha * sum + s.beta * old, std::fabs(s.alpha) * scale + std::fabs(s.beta * old)};
}

}  // namespace

std::optional<std::string> Sgemm::spot_check(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                             const std::vector<run::HostBuffer> &outputs, double tolerance,
                                             std::uint64_t seed) const {
  const Shape s = shape(c);
  const std::vector<float> &out = outputs.at(2).values;
  for (std::size_t b = 0; b < 2; ++b)
    if (std::memcmp(inputs[b].values.data(), outputs.at(b).values.data(),
                    inputs[b].values.size() * sizeof(float)) != 0)
      return fmt::format("the read-only matrix {} was changed", inputs[b].name);

  constexpr int samples = 256;
  for (int t = 0; t < samples; ++t) {
    const auto [i, j] = sampled_cell(seed, t, s.m, s.n);
    const auto [want, scale] = element(s, inputs, i, j);
    const double got = out[i * s.n + j];
    if (!(std::fabs(got - want) <= tolerance * scale)) return wrong_cell({i, j}, got, want);
  }

  const RowSums sums = signed_row_sums(s, inputs, out, seed);
  for (std::int64_t i = 0; i < s.m; ++i) {
    const double allowed = allowed_for_row(sums.scale[i], tolerance, s.n);
    if (!(std::fabs(sums.got[i] - sums.want[i]) <= allowed))
      return wrong_row(i, sums.got[i], sums.want[i], allowed);
  }
  return std::nullopt;
}

}  // namespace warpgrade::problem
