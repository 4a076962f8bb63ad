// The contract of assignment attention. Every step is one launcher that computes, on the GPU, for each of
// batch * heads heads, with n = length and d = width:
//
//     score[i][j] = (the sum of Q[i][c] * K[j][c] over 0 <= c < d) / sqrt(d)      for 0 <= i, j < n
//     O[i][c]     = the sum of weight[i][j] * V[j][c] over j
//
// where weight[i] is the softmax of score[i], over all j if causal is 0, and over j <= i if causal is 1.
//
// Q, K and V are in bfloat16. All sums and O are in single precision. The powers e^(score - largest score so
// far) may be rounded to bfloat16, to nearest, before they are multiplied by values; their sum divides last.
//
// batch, heads, length  any numbers >= 1. An array has fewer than 2^31 elements.
// width                 64 or 128.
// causal                0 or 1.
// Q, K, V, O            device pointers. Head h of batch b begins at element (b * heads + h) * length * width,
//                       and row i of a head at element i * width of it, without gaps. Each pointer is a
//                       multiple of 256 bytes. Inputs must stay unchanged. They are finite, and may be so large
//                       that e^score is no float; the results always are.
//
// A launcher chooses the grid and the block itself and starts its kernels with <<<grid, block>>>. It may
// launch several kernels, allocate and free scratch memory, use static or dynamic shared memory and set
// function attributes. It may not copy results back to the host, call a library, or start threads.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

using Number = __nv_bfloat16;

void step0(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O);
void step1(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O);
void step2(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O);
void step3(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
           const Number *V, float *O);

/// a / b, rounded up. a >= 0, b >= 1.
constexpr __host__ __device__ int ceil_div(int a, int b) {
  return a / b + (a % b != 0);
}
/// 1 / sqrt(width)
constexpr __host__ __device__ float scale_of(int width) {
  return width == 64 ? 0.125f : 0.08838834764831845f;
}
