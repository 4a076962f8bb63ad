// sgemm: C = alpha A B + beta C in single precision, row-major and contiguous.
#include "problem/gemm.hpp"

using namespace warpgrade::problem;

namespace {

class Sgemm final : public GemmProblem {
 public:
  Sgemm() : GemmProblem(fill_a, fill_b) {}
  std::string_view name() const override { return "sgemm"; }
  std::string_view launcher() const override {
    return "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
  }
};

}  // namespace

WARPGRADE_PROBLEMS(Sgemm())
