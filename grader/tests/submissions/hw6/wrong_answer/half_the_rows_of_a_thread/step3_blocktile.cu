// Each thread computes 4 x 4 results and stores 2 x 4 of them.
// Verdict: wrong_answer, half of the rows keep the old values.
#include "gemm.h"

const int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  int tid = threadIdx.x;  // 256 threads
  int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  int ty = tid / 16, tx = tid % 16;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < BM * BK; i += 256) {
      int r = row0 + i / BK, c = k0 + i % BK;
      As[i / BK][i % BK] = r < M && c < K ? A[r * K + c] : 0.0f;
    }
    for (int i = tid; i < BK * BN; i += 256) {
      int r = k0 + i / BN, c = col0 + i % BN;
      Bs[i / BN][i % BN] = r < K && c < N ? B[r * N + c] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < BK; k++)
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) acc[i][j] += As[ty * TM + i][k] * Bs[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < TM / 2; i++)
    for (int j = 0; j < TN; j++) {
      int r = row0 + ty * TM + i, c = col0 + tx + 16 * j;
      if (r < M && c < N) C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
    }
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  multiply<<<grid, 256>>>(M, N, K, alpha, A, B, beta, C);
}
