#include "problem/matrix_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <thread>

static_assert(__FINITE_MATH_ONLY__ == 0, "NaN must compare as NaN here");

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPGRADE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WARPGRADE_VECTOR_CLONES
#endif

namespace warpgrade::problem {

namespace {

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
  static const std::int64_t cores = std::thread::hardware_concurrency();  // which reads a file each time
  const std::int64_t workers = std::clamp<std::int64_t>(cores, 1, std::max<std::int64_t>(slices, 1));
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

/// A matrix as rows of `columns` floats without gaps: its buffer if it already is that.
class Dense {
 public:
  Dense(const Matrix &matrix, std::int64_t rows, std::int64_t columns, const run::HostBuffer &from)
      : columns_(columns) {
    const bool packed = matrix.column_stride == 1 && matrix.row_stride == columns;
    std::span<const float> buffer = from.as<float>();
    std::vector<float> converted;
    if (matrix.fill.type != Type::f32) buffer = converted = numbers_of(matrix, from);
    if (packed) {
      copy_ = std::move(converted);
      values_ = copy_.empty() ? buffer.data() : copy_.data();
      return;
    }
    copy_.resize(static_cast<std::size_t>(rows * columns));
    over_rows(rows, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          copy_[static_cast<std::size_t>(i * columns + j)] =
              buffer[static_cast<std::size_t>(matrix.at(i, j))];
    });
    values_ = copy_.data();
  }
  Dense(const Dense &) = delete;
  Dense &operator=(const Dense &) = delete;
  const float *row(std::int64_t i) const { return values_ + i * columns_; }
  float at(std::int64_t i, std::int64_t j) const { return row(i)[j]; }

 private:
  std::int64_t columns_;
  std::vector<float> copy_;
  const float *values_ = nullptr;
};

/// The three matrices of a case as the host sees them.
struct Operands {
  Operands(const MatrixProduct &product, const std::vector<run::HostBuffer> &in)
      : p(product),
        a(p.a, p.m, p.k, in.at(0)),
        b(p.b, p.rows_of_b(), p.n, in.at(1)),
        c(p.c, p.m, p.n, in.at(2)) {}
  const MatrixProduct p;
  const Dense a, b, c;
};

double area(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

std::string elements(std::uint64_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

/// Elements of the buffer of C that belong to no element of the matrix and have changed.
std::uint64_t changed_between(const MatrixProduct &p, std::span<const std::uint32_t> before,
                              std::span<const std::uint32_t> after) {
  if (p.c.elements == static_cast<std::uint64_t>(p.m * p.n)) return 0;
  std::vector<bool> outside(before.size(), true);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) outside[static_cast<std::size_t>(p.c.at(i, j))] = false;
  std::uint64_t changed = 0;
  for (std::size_t e = 0; e < before.size(); ++e) changed += outside[e] && before[e] != after[e];
  return changed;
}

}  // namespace

Matrix row_major(std::int64_t rows, std::int64_t columns, Fill fill) {
  return {static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns), columns, 1, fill};
}

Matrix column_major(std::int64_t pitch, std::int64_t columns, Fill fill) {
  return {static_cast<std::uint64_t>(pitch) * static_cast<std::uint64_t>(columns), 1, pitch, fill};
}

std::vector<float> numbers_of(const Matrix &matrix, const run::HostBuffer &buffer) {
  if (buffer.bytes.size() < matrix.bytes())
    throw std::invalid_argument("a buffer is smaller than its matrix");
  if (matrix.fill.type == Type::f32) return {buffer.as<float>().begin(), buffer.as<float>().end()};
  std::vector<float> numbers(buffer.bytes.size() / bytes_of(matrix.fill.type));
  if (matrix.fill.type == Type::e4m3)
    std::ranges::transform(buffer.as<std::uint8_t>(), numbers.begin(), finite_e4m3);
  else
    std::ranges::transform(buffer.as<std::uint16_t>(), numbers.begin(), finite_half);
  return numbers;
}

double MatrixProblem::flops(const Case &c) const {
  const MatrixProduct p = shape(c);
  return 2.0 * area(p.m, p.n) * static_cast<double>(p.k);
}

double MatrixProblem::compulsory_bytes(const Case &c) const {
  const MatrixProduct p = shape(c);
  const double c_traffic = p.beta != 0 ? 2.0 : 1.0;
  return static_cast<double>(bytes_of(p.a.fill.type)) * (area(p.m, p.k) + area(p.rows_of_b(), p.n)) +
         4.0 * c_traffic * area(p.m, p.n);
}

std::uint64_t MatrixProblem::outputs(const Case &c) const {
  const MatrixProduct p = shape(c);
  return static_cast<std::uint64_t>(p.m) * static_cast<std::uint64_t>(p.n);
}

double MatrixProblem::least_shared_bytes(const Case &c) const {
  const MatrixProduct p = shape(c);
  return static_cast<double>(bytes_of(p.a.fill.type)) * static_cast<double>(p.k) *
         static_cast<double>(std::min(p.m, p.batch * p.n));
}

std::vector<plan::Buffer> MatrixProblem::buffers(const Case &c) const {
  const MatrixProduct p = shape(c);
  const auto called = names();
  const auto buffer = [&](std::size_t i, const Matrix &x) {
    return plan::Buffer{plan::Owner::judge, std::string(1, called[i]), x.bytes()};
  };
  return {buffer(0, p.a), buffer(1, p.b), buffer(2, p.c)};
}

std::optional<MatrixProduct> MatrixProblem::product(const Case &c) const {
  MatrixProduct p = shape(c);
  const auto called = names();
  std::copy(called.begin(), called.end(), p.names);
  return p;
}

std::vector<run::HostBuffer> MatrixProblem::inputs(const Case &c, std::uint64_t seed) const {
  const MatrixProduct p = shape(c);
  const Matrix *matrices[] = {&p.a, &p.b, &p.c};
  std::vector<run::HostBuffer> made;
  for (std::size_t b = 0; b < 3; ++b) {
    const Fill &fill = matrices[b]->fill;
    const std::size_t size = bytes_of(fill.type);
    made.push_back({std::string(1, names()[b]), b < 2 ? run::Role::input : run::Role::in_out, {}, size});
    made[b].bytes.resize(matrices[b]->bytes());
    std::byte *const to = made[b].bytes.data();
    const std::uint64_t key = fill.key(seed);
    const auto elements = static_cast<std::int64_t>(matrices[b]->elements);
    over_rows(elements, 1 << 18, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::uint32_t bits = fill.bits(key, static_cast<std::uint64_t>(i));
        std::memcpy(to + static_cast<std::size_t>(i) * size, &bits, size);  // little-endian
      }
    });
  }
  return made;
}

Reference MatrixProblem::reference(const Case &c, const std::vector<run::HostBuffer> &inputs) const {
  const Operands o(shape(c), inputs);
  const MatrixProduct &p = o.p;
  Reference ref;
  ref.want.assign(outputs(c), 0.0);
  ref.scale.assign(outputs(c), 0.0);
  const std::int64_t grain = flops(c) < worth_threads ? p.m : rows_per_pass;
  over_rows(p.m, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t q = 0; q < p.k; ++q)
      for (std::int64_t i = first; i < last; ++i)
        add_scaled_row(&ref.want[i * p.n], &ref.scale[i * p.n], o.b.row(p.row_of_b(i, q)), o.a.at(i, q), p.n);
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) {
        const double old = o.c.at(i, j);
        double &want = ref.want[i * p.n + j], &scale = ref.scale[i * p.n + j];
        want = finished(p.finish, p.alpha * want + p.beta * old);
        scale = std::fabs(p.alpha) * scale + std::fabs(p.beta * old);
      }
  });
  return ref;
}

std::vector<Problem::Place> MatrixProblem::places(const Case &c) const {
  const MatrixProduct p = shape(c);
  std::vector<Place> all;
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j)
      all.push_back({2, static_cast<std::uint64_t>(p.c.at(i, j)), Type::f32});
  return all;
}

Comparison MatrixProblem::compare(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                  const Reference &ref, const std::vector<run::HostBuffer> &outputs,
                                  double tolerance) const {
  const MatrixProduct p = *product(c);
  Comparison result;
  result.output = p.names[2];
  const auto before = inputs.at(2).as<std::uint32_t>(), after = outputs.at(2).as<std::uint32_t>();
  result.checked = ref.want.size();
  std::vector<bool> wrong(ref.want.size());
  for (std::size_t e = 0; e < ref.want.size(); ++e) {
    const Cell cell{static_cast<std::int64_t>(e) / p.n, static_cast<std::int64_t>(e) % p.n};
    const auto at = static_cast<std::size_t>(p.c.at(cell.row, cell.column));
    const double value = std::bit_cast<float>(after[at]), error = std::fabs(value - ref.want[e]),
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
    if (after[at] == before[at]) ++result.never_written;
    if (result.first.size() < 4) result.first.push_back({name_of(cell, p.names[2]), value, ref.want[e]});
  }
  result.located = locate(wrong, p.m, p.n);
  result.map = map_of(wrong, p.m, p.n);
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].role != run::Role::input) continue;
    const std::vector<std::byte> &in = inputs[b].bytes, &out = outputs.at(b).bytes;
    const std::size_t size = inputs[b].element_bytes;
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < in.size(); i += size) changed += std::memcmp(&in[i], &out[i], size) != 0;
    if (changed > 0)
      result.changed_inputs.push_back(
          fmt::format("the read-only matrix {} ({})", inputs[b].name, elements(changed)));
  }
  if (const std::uint64_t changed = changed_between(p, before, after); changed > 0)
    result.changed_inputs.push_back(
        fmt::format("what is in the gaps of {} ({})", p.names[2], elements(changed)));
  return result;
}

namespace {

/// Sums that the probabilistic check compares, one per row of C.
struct RowSums {
  std::vector<double> want, got, scale;
};

/// Multiplies both sides of C = alpha A B + beta C by a random vector of signs (Freivalds, 1977).
RowSums signed_row_sums(const Operands &o, std::span<const float> out, std::uint64_t seed) {
  const MatrixProduct &p = o.p;
  std::vector<double> sign(p.n), b_signed(p.rows_of_b()), b_absolute(p.rows_of_b());
  for (std::int64_t j = 0; j < p.n; ++j) sign[j] = sign_of_column(seed, j);
  over_rows(p.rows_of_b(), 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t q = first; q < last; ++q)
      for (std::int64_t j = 0; j < p.n; ++j) {
        b_signed[q] += sign[j] * o.b.at(q, j);
        b_absolute[q] += std::fabs(o.b.at(q, j));
      }
  });
  RowSums sums{std::vector<double>(p.m), std::vector<double>(p.m), std::vector<double>(p.m)};
  over_rows(p.m, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      double product = 0, scale = 0, old = 0, old_scale = 0, got = 0;
      for (std::int64_t q = 0; q < p.k; ++q) {
        product += o.a.at(i, q) * b_signed[p.row_of_b(i, q)];
        scale += std::fabs(o.a.at(i, q)) * b_absolute[p.row_of_b(i, q)];
      }
      for (std::int64_t j = 0; j < p.n; ++j) {
        old += sign[j] * o.c.at(i, j);
        old_scale += std::fabs(o.c.at(i, j));
        got += sign[j] * out[static_cast<std::size_t>(p.c.at(i, j))];
      }
      sums.want[i] = p.alpha * product + p.beta * old;
      sums.scale[i] = std::fabs(p.alpha) * scale + std::fabs(p.beta) * old_scale;
      sums.got[i] = got;
    }
  });
  return sums;
}

/// One element of the reference: {want, scale}.
std::pair<double, double> element(const Operands &o, std::int64_t i, std::int64_t j) {
  double sum = 0, scale = 0;
  for (std::int64_t q = 0; q < o.p.k; ++q) {
    const double product = static_cast<double>(o.a.at(i, q)) * o.b.at(o.p.row_of_b(i, q), j);
    sum += product;
    scale += std::fabs(product);
  }
  const double old = o.c.at(i, j);
  return {finished(o.p.finish, o.p.alpha * sum + o.p.beta * old),
          std::fabs(o.p.alpha) * scale + std::fabs(o.p.beta * old)};
}

}  // namespace

std::optional<std::string> MatrixProblem::spot_check(const Case &c,
                                                     const std::vector<run::HostBuffer> &inputs,
                                                     const std::vector<run::HostBuffer> &outputs,
                                                     double tolerance, std::uint64_t seed) const {
  for (std::size_t b = 0; b < 2; ++b)
    if (inputs[b].bytes != outputs.at(b).bytes)
      return fmt::format("the read-only matrix {} was changed", inputs[b].name);

  const MatrixProduct p = *product(c);
  const Operands o(p, inputs);
  const std::span<const float> out = outputs.at(2).as<float>();
  constexpr int samples = 256;
  for (int t = 0; t < samples; ++t) {
    const auto [i, j] = sampled_cell(seed, t, p.m, p.n);
    const auto [want, scale] = element(o, i, j);
    const double got = out[static_cast<std::size_t>(p.c.at(i, j))];
    if (!(std::fabs(got - want) <= tolerance * scale)) return wrong_cell(p.names[2], {i, j}, got, want);
  }

  if (p.finish != Finish::none) {  // sums over rows say nothing of it: every element is computed
    const Comparison all = compare(c, inputs, reference(c, inputs), outputs, tolerance);
    if (all.wrong == 0) return std::nullopt;
    return wrong_elements(all.wrong, all.checked, all.output, all.first.front());
  }
  const RowSums sums = signed_row_sums(o, out, seed);
  for (std::int64_t i = 0; i < p.m; ++i) {
    const double allowed = allowed_for_row(sums.scale[i], tolerance, p.n);
    if (!(std::fabs(sums.got[i] - sums.want[i]) <= allowed))
      return wrong_row(p.names[2], i, sums.got[i], sums.want[i], allowed);
  }
  return std::nullopt;
}

}  // namespace warpgrade::problem
