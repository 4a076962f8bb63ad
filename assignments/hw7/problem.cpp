// hgemm: C = alpha A B + beta C, row-major and contiguous, with A and B in half precision and C in single
// precision.
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

}  // namespace

WARPGRADE_PROBLEMS(Hgemm())
