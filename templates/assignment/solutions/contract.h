// The contract of assignment @NAME@. Every file defines one launcher that computes, on the GPU,
//
//     P = M N
//
// for matrices of n x n elements, for any n >= 1. All pointers are device pointers to row-major matrices of
// single-precision numbers, without padding. M and N must stay unchanged.
#pragma once

#include <cuda_runtime.h>

void first(int n, const float *M, const float *N, float *P);
