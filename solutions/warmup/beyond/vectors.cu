// Step vectors: y = a x + y with 16 bytes in each request, and four requests of a thread on their way at
// once. The memory of a large GPU needs more than one number per thread to be busy.
#include "warmup.h"

void vectors(int n, float a, const float *x, float *y);

namespace {

constexpr int THREADS = 256, EACH = 2;  // vectors of four

__device__ float4 result(float a, float4 x, float4 y) {
  return make_float4(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z, a * x.w + y.w);
}

__global__ void scale_and_add_vectors(int n, float a, const float *x, float *y) {
  const float4 *const from = reinterpret_cast<const float4 *>(x);
  float4 *const to = reinterpret_cast<float4 *>(y);
  const int first = blockIdx.x * THREADS * EACH + threadIdx.x, vectors = n / 4;
  float4 here[EACH], there[EACH];
  for (int k = 0; k < EACH; ++k)
    if (const int i = first + k * THREADS; i < vectors) here[k] = from[i], there[k] = to[i];
  for (int k = 0; k < EACH; ++k)
    if (const int i = first + k * THREADS; i < vectors) to[i] = result(a, here[k], there[k]);
  if (const int i = 4 * vectors + static_cast<int>(threadIdx.x); blockIdx.x == 0 && i < n)
    y[i] = a * x[i] + y[i];
}

}  // namespace

void vectors(int n, float a, const float *x, float *y) {
  if (n == 0) return;
  constexpr int OF_BLOCK = 4 * THREADS * EACH;
  scale_and_add_vectors<<<(n + OF_BLOCK - 1) / OF_BLOCK, THREADS>>>(n, a, x, y);
}
