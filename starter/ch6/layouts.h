// The contract of assignment ch6. Every file defines one launcher, which computes on the GPU what its comment
// says. All pointers are device pointers to single-precision numbers; const data must stay unchanged.
//
// M, N and P are matrices of n x n elements. M and P are row-major. So is N, except in column_major and
// corner_turning, where it is column-major: its element in row k and column j is N[j * n + k].
#pragma once

#include <cuda_runtime.h>

// P = M N, for any n >= 1.
void row_major(int n, const float *M, const float *N, float *P);
void column_major(int n, const float *M, const float *N, float *P);
void corner_turning(int n, const float *M, const float *N, float *P);

// The same with row-major N; factor is 1, 2, 4 or 8.
void coarsened(int n, int factor, const float *M, const float *N, float *P);

// n is a multiple of 256. a has n elements, b and c have 4 n, d has n + 8, and e has 8 n.
void exercise(int n, const float *a, const float *b, const float *c, float *d, float *e);
void repaired(int n, const float *a, const float *b, const float *c, float *d, float *e);
