// Passes matrices by value as structs with a stride array and an overloaded call operator.
// Verdict: accepted.
#include "gemm.h"

template <typename T>
struct View {
  T *data;
  int size[2];
  long long stride[2];
  __device__ __forceinline__ T &operator()(int r, int c) const { return data[r * stride[0] + c * stride[1]]; }
  __device__ bool has(int r, int c) const { return r < size[0] && c < size[1]; }
};
struct Factors {
  float alpha, beta;
  char padding[5];
  double unused[3];
};

__global__ void multiply(View<const float> a, View<const float> b, Factors f, View<float> c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (!c.has(row, col)) return;
  float sum = 0;
  for (int k = 0; k < a.size[1]; ++k) sum += a(row, k) * b(k, col);
  c(row, col) = f.alpha * sum + f.beta * c(row, col);
}

void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  View<const float> a{A, {M, K}, {K, 1}}, b{B, {K, N}, {N, 1}};
  View<float> c{C, {M, N}, {N, 1}};
  Factors f{alpha, beta, "four", {1, 2, 3}};
  multiply<<<dim3((N + 63) / 64, (M + 3) / 4), dim3(64, 4)>>>(a, b, f, c);
}
