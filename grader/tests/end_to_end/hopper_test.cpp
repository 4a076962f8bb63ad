// A step that is compiled for one generation of GPUs: graded on the simulator with nvcc, and left alone by
// clang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::HasSubstr;

// Each block fetches the pieces of a row of A with bulk copies of tensors, in clusters of two.
constexpr const char *kernel = R"cuda(#include <cuda.h>

#include "gemm.h"

__global__ void __cluster_dims__(2, 1, 1)
    rows(const __grid_constant__ CUtensorMap a, int N, int K, float alpha, const float *B, float beta, float *C) {
  __shared__ alignas(128) float piece[16];
  __shared__ unsigned long long barrier;
  const auto bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0, phase = 0; k < K; k += 16, phase ^= 1) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" ::"r"(bar) : "memory");
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
          ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(piece))), "l"(&a), "r"(k), "r"(blockIdx.x), "r"(bar)
          : "memory");
    }
    unsigned done = 0;
    while (!done)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done) : "r"(bar), "r"(phase) : "memory");
    for (int i = 0; i < 16; ++i) sum += piece[i] * B[(k + i) * N + threadIdx.x];
    __syncthreads();
  }
  float &to = C[blockIdx.x * N + threadIdx.x];
  to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  CUtensorMap map;
  const cuuint64_t size[] = {cuuint64_t(K), cuuint64_t(M)}, stride[] = {4ull * K};
  const cuuint32_t box[] = {16, 1}, step[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float *>(A), size, stride, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  rows<<<M, N>>>(map, N, K, alpha, B, beta, C);
}
)cuda";

class Hopper : public ::testing::Test {
 protected:
  Hopper() {
    course.replace("assignments/hw6/assignment.yaml", "file: step1_coalesced.cu,",
                   "file: step1_coalesced.cu, arch: compute_90a,");
    course.replace("assignments/hw6/assignment.yaml", "{m: 1, n: 1, k: 1}", "{m: 16, n: 32, k: 48, beta: 2}");
    course.replace("assignments/hw6/assignment.yaml", "{m: 33, n: 33, k: 33}", "{m: 64, n: 64, k: 64}");
    course.write("mine/step1_coalesced.cu", kernel);
  }
  CommandResult grade(const std::string &words) const {
    return shell(std::string("'") + place::grade + "' " + words + " --submission mine --device sim",
                 course.root());
  }
  SmallCourse course;
};

TEST_F(Hopper, IsGradedOnTheSimulator) {
  const CommandResult r = grade("step1 --toolchain nvcc");
  EXPECT_THAT(r.output, HasSubstr("2 of 2 right"));
  EXPECT_THAT(r.output, HasSubstr("accepted    50/60"));
  EXPECT_THAT(r.output, HasSubstr("waiting  10 points: there is no GPU here"));
  const CommandResult plan = grade("plan step1 --toolchain nvcc");
  EXPECT_THAT(plan.output, HasSubstr("tensor map of A: 64 x 64 f32, 256 bytes apart, in boxes of 16 x 1"));
}

TEST_F(Hopper, CostsNoPointsWhereThereIsOnlyClang) {
  const CommandResult r = grade("step1 --toolchain clang");
  EXPECT_THAT(r.output, HasSubstr("grader_error"));
  EXPECT_THAT(r.output, HasSubstr("step1_coalesced.cu is compiled for compute_90a"));
}

}  // namespace
}  // namespace warpgrade::tests
