// Variables without a value, read where that does not matter: in lanes whose shuffled value nobody takes, on ways that
// a thread does not go, and in elements of an array that are copied and not used.
// Verdict: accepted.
#include "gemm.h"

struct Pair {
  float value[4];
  int used;
};

__global__ void multiply(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float scale;
  if (threadIdx.x % 32 == 0) scale = alpha;        // the other lanes have none of their own
  scale = __shfl_sync(0xffffffff, scale, 0);
  float before;
  bool adds = beta != 0.0f && col < N;
  if (adds) before = beta * C[row * N + col];
  Pair last;
  last.used = 0;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float product = col < N ? A[row * K + k] * B[k * N + col] : 0.0f;
    last.value[k % 2] = product;                   // two elements of four, and none where K is 0
    last.used = k + 1;
    Pair copy = last;
    sum += copy.value[k % 2];
  }
  if (last.used > 0 && last.value[(K - 1) % 2] != last.value[(K - 1) % 2]) sum = 0;  // never: it is no NaN
  float result = scale * sum;
  if (adds) result += before;
  if (col < N) C[row * N + col] = result;
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  multiply<<<dim3(ceil_div(N, 128), M), 128>>>(M, N, K, alpha, A, B, beta, C);
}
