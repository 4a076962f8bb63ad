// The contract of assignment @NAME@: a launcher for each file, which computes on the GPU
//
//     P = M N
//
// of matrices of n x n elements, for any n from 1 up. All pointers are device pointers to single precision
// numbers that lie row after row without gaps; M and N stay as they are.
#pragma once

#include <cuda_runtime.h>

void first(int n, const float *M, const float *N, float *P);
