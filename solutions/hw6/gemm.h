// The contract of assignment hw6. Every step is one launcher that computes, on the GPU,
//
//     C = alpha * A * B + beta * C          A is M x K, B is K x N, C is M x N
//
// M, N, K      any sizes from 1 up, multiples of nothing in particular; M * K and its like may exceed 2^31
// alpha, beta  any finite numbers
// A, B, C      device pointers to single precision numbers, row after row without gaps: the element in row r
// and
//              column c of A is A[r * K + c], of B it is B[r * N + c], of C it is C[r * N + c]. The three do
//              not overlap. A and B stay as they are; every element of C is finite on entry and written once
//              you return.
//
// A launcher chooses grid and block itself and starts its kernels with <<<grid, block>>>. It need not wait
// for them. It may launch several kernels, allocate and free scratch memory, use static or dynamic shared
// memory, set function attributes and copy constants to the device. It may not copy results back to the host,
// call cuBLAS or another library, or start threads or processes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>  // std::int64_t, for offsets into large matrices

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);
void step1(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);
void step2(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);
void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);
void step4(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);

/// a / b, rounded up: how many blocks of b cover a elements. a >= 0, b >= 1.
constexpr __host__ __device__ int ceil_div(int a, int b) {
  return a / b + (a % b != 0);
}
