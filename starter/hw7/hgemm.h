// The contract of assignment hw7. Every step is one launcher that computes, on the GPU,
//
//     C = alpha * A * B + beta * C          A is M x K, B is K x N, C is M x N
//
// A and B are in half precision; all sums and C are in single precision.
//
// M, N, K      step1: multiples of 16. step2, step3, step4: multiples of 8. step5: any sizes >= 1.
//              M * K, K * N and M * N may exceed 2^31.
// alpha, beta  any finite numbers.
// A, B, C      device pointers to row-major matrices without padding: A[r * K + c], B[r * N + c] and
//              C[r * N + c] are the elements in row r and column c. Each pointer is a multiple of 256 bytes.
//              The three do not overlap. A and B must stay unchanged. Every element of C is finite on entry,
//              and must be written by your kernels.
//
// A launcher chooses the grid and the block itself and starts its kernels with <<<grid, block>>>. It need not
// wait for them. It may launch several kernels, allocate and free scratch memory, use static or dynamic
// shared memory and set function attributes. It may not copy results back to the host, call cuBLAS or another
// library, or start threads or processes.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>  // std::int64_t, for offsets into large matrices

void step1(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C);
void step2(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C);
void step3(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C);
void step4(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C);
void step5(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C);

/// a / b, rounded up: the number of blocks of size b that cover a elements. a >= 0, b >= 1.
constexpr __host__ __device__ int ceil_div(int a, int b) {
  return a / b + (a % b != 0);
}
