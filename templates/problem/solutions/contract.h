// The contract of assignment @NAME@. Every file defines one launcher that computes, on the GPU,
//
//     y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3     for 0 <= i < n
//
// where x is 0 beyond its ends. n is any number from 1 on. All pointers are device pointers. x must stay unchanged.
#pragma once

#include <cuda_runtime.h>

void first(int n, const float *x, float *y);
