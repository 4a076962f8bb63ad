// Keeps the memory for a transposed B from call to call, allocates more when it needs more, and passes the number of
// the call to its kernel.
// Verdict: accepted: the second call does something else than the first, and is right.
#include "gemm.h"

__global__ void transpose(int K, int N, const float *B, float *BT) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < K && col < N) BT[col * K + row] = B[row * N + col];
}

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *BT, float beta, float *C,
                         int call, int *calls) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row == 0 && col == 0) *calls = call;
  if (row < M && col < N) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * BT[col * K + k];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
  }
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  static float *kept = nullptr;
  static int *calls = nullptr;
  static size_t room = 0;
  static int call = 0;
  const size_t needed = size_t(K) * N * sizeof(float);
  if (calls == nullptr) cudaMalloc(&calls, sizeof(int));
  if (needed > room) {
    cudaFree(kept);
    cudaMalloc(&kept, needed);
    room = needed;
  }
  if (K > 0 && N > 0) transpose<<<dim3((N + 31) / 32, (K + 7) / 8), dim3(32, 8)>>>(K, N, B, kept);
  if (M > 0 && N > 0)
    multiply<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(M, N, K, alpha, A, kept, beta, C, ++call, calls);
}
