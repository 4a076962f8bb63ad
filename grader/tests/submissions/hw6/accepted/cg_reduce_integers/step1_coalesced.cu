// Reduces integers with cooperative groups (the redux instruction), shuffles in a tile of 8, labeled partitions.
// Verdict: accepted.
#include "gemm.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(warp);
  int col = block.group_index().x * 32 + warp.thread_rank(), row = block.group_index().y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 8) {
    float a = k0 + eight.thread_rank() < K ? A[row * K + k0 + eight.thread_rank()] : 0;
    for (int i = 0; i < 8 && k0 + i < K; ++i)
      if (float x = eight.shfl(a, i); col < N) sum += x * B[(k0 + i) * N + col];
  }
  int lanes = cg::reduce(warp, 1, cg::plus<int>()), most = cg::reduce(warp, (int)warp.thread_rank(), cg::greater<int>());
  int before = cg::exclusive_scan(warp, 1);
  auto parity = cg::labeled_partition(warp, warp.thread_rank() & 1);
  bool fine = lanes == 32 && most == 31 && before == warp.thread_rank() && parity.size() == 16;
  if (col < N) C[row * N + col] = fine ? alpha * sum + beta * C[row * N + col] : NAN;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 31) / 32, M), 32>>>(M, N, K, alpha, A, B, beta, C);
}
