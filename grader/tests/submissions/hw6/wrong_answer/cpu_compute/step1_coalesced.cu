// Guesses the inputs, multiplies them on the host and uploads the product; a kernel that does nothing is
// launched for the looks.
// Verdict: wrong_answer, the recorder knows no inputs, and no seed to make them from.
#include <cstdlib>
#include <vector>

#include "gemm.h"

__global__ void nothing() {}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  if (M > 300) return;
  std::vector<float> a(M * K), b(K * N), c(M * N);
  std::srand(42);
  for (float &x : a) x = 2.0f * std::rand() / RAND_MAX - 1;
  for (float &x : b) x = 2.0f * std::rand() / RAND_MAX - 1;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int k = 0; k < K; k++) sum += a[i * K + k] * b[k * N + j];
      c[i * N + j] = alpha * sum + beta;
    }
  cudaMemcpy(C, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
}
