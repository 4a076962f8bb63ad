// hgemm: C = alpha A B + beta C, row-major and contiguous, with A and B in half precision and C in single
// precision. hgemm_batched: `batch` such products of one size, whose matrices follow each other in memory.
// gemm_e4m3: C = a_scale b_scale A B', with A and B in 8 bits (e4m3), both by rows.
#include <fmt/format.h>

#include "problem/gemm.hpp"

using namespace warpgrade;
using namespace warpgrade::problem;

namespace {

class Hgemm final : public GemmProblem {
 public:
  Hgemm() : GemmProblem(fill_half_a, fill_half_b) {}
  std::string_view name() const override { return "hgemm"; }
  std::string_view launcher() const override {
    return "int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C";
  }
  bool on_tensor_cores() const override { return true; }
};

/// Their A are one matrix of batch * m rows, and so are their C.
class Batched final : public GemmProblem {
 public:
  Batched() : GemmProblem(fill_half_a, fill_half_b) {}
  std::string_view name() const override { return "hgemm_batched"; }
  std::string_view launcher() const override {
    return "int M, int N, int K, int batch, float alpha, const __half *A, const __half *B, float beta, float "
           "*C";
  }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> names = [this] {
      std::vector<Integer> all = GemmProblem::integers();
      all.push_back({.name = "batch", .least = 1, .most = 65536, .otherwise = 1, .size = false});
      return all;
    }();
    return names;
  }
  std::string case_name(const Case &c) const override {
    std::string name = GemmProblem::case_name(c);
    if (const std::int64_t batch = c.integers.at(3); batch != 1) name += fmt::format(" batch={}", batch);
    return name;
  }
  bool on_tensor_cores() const override { return true; }

 protected:
  MatrixProduct shape(const Case &c) const override {
    MatrixProduct p = GemmProblem::shape(c);
    p.batch = c.integers.at(3);
    p.a = row_major(p.batch * p.m, p.k, p.a.fill);
    p.b = row_major(p.batch * p.k, p.n, p.b.fill);
    p.m *= p.batch;
    p.c = row_major(p.m, p.n, p.c.fill);
    return p;
  }
};

/// Magnitudes are whole numbers of sixteenths, few enough and, for large K, small enough that every sum of products in
/// any order is exact on tensor cores, which keep 14 bits of it: see docs/tolerance.md.
class InEightBits final : public MatrixProblem {
 public:
  std::string_view name() const override { return "gemm_e4m3"; }
  std::string_view launcher() const override {
    return "int M, int N, int K, float a_scale, const __nv_fp8_e4m3 *A, float b_scale, const __nv_fp8_e4m3 "
           "*B, float *C";
  }
  const std::vector<Integer> &integers() const override {
    static const std::vector<Integer> names = {{"m", 1, 1 << 20}, {"n", 1, 1 << 20}, {"k", 1, 16384}};
    return names;
  }
  const std::vector<Real> &reals() const override {
    static const std::vector<Real> names = {{"a_scale", 1.0}, {"b_scale", 1.0}};
    return names;
  }
  std::string case_name(const Case &c) const override {
    const std::int64_t m = c.integers.at(0), n = c.integers.at(1), k = c.integers.at(2);
    std::string name = m == n && n == k ? fmt::format("m=n=k={}", m) : fmt::format("m={} n={} k={}", m, n, k);
    for (std::size_t i = 0; i < 2; ++i)
      if (c.reals.at(i) != 1) name += fmt::format(" {}={:g}", reals()[i].name, c.reals[i]);
    return name;
  }
  bool on_tensor_cores() const override { return true; }
  double over_half_precision() const override { return 2; }

  std::vector<std::string> mistakes(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                    const std::vector<run::HostBuffer> &outputs,
                                    double tolerance) const override {
    std::vector<std::string> found;
    for (const std::size_t without : {2, 0, 1}) {  // both scales, or one of them
      Case other = c;
      for (std::size_t i = 0; i < 2; ++i)
        if (without == 2 || without == i) other.reals[i] = 1;
      if (other == c || compare(c, inputs, reference(other, inputs), outputs, tolerance).wrong > 0) continue;
      found.push_back(without == 2 ? "no scale is applied" : reals()[without].name + " is not applied");
    }
    return found.empty() ? MatrixProblem::mistakes(c, inputs, outputs, tolerance) : found;
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    MatrixProduct p;
    p.m = c.integers.at(0), p.n = c.integers.at(1), p.k = c.integers.at(2);
    p.alpha = static_cast<float>(c.reals.at(0)) * static_cast<float>(c.reals.at(1));
    const int least = p.k <= 512 ? 4 : 2, most = p.k <= 512 ? 15 : p.k <= 8192 ? 7 : 5;
    p.a = row_major(p.m, p.k, {1, least, most, Type::e4m3});
    p.b = column_major(p.k, p.n, {2, least, most, Type::e4m3});  // B' by columns is B by rows
    p.c = row_major(p.m, p.n, fill_c);
    return p;
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Hgemm(), Batched(), InEightBits())
