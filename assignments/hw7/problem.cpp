// hgemm: C = alpha A B + beta C, row-major and contiguous, with A and B in half precision and C in single
// precision. hgemm_batched: `batch` such products of one size, whose matrices follow each other in memory.
#include "problem/gemm.hpp"

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
    if (const std::int64_t batch = c.integers.at(3); batch != 1) name += " batch=" + std::to_string(batch);
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

}  // namespace

WARPGRADE_PROBLEMS(Hgemm(), Batched())
