// What the launchers of this assignment compute. All pointers are device pointers. A launcher chooses grid and
// block itself; it may not read results back to the host. Each is correct except for one fault in its file.
//
//     saxpy_single, saxpy_wide        y[i] = a * x[i] + y[i] for 0 <= i < n
//     sum_tree, sum_shuffled          sum[0] = x[0] + ... + x[n - 1]; 0 if n is 0
//     count_shared, count_crowds      counts[b] = how many of x[0] ... x[n - 1] equal b, for 0 <= b < bins
//     turn_square, turn_tall          B[c * rows + r] = A[r * columns + c]
//     product_square, product_pair    P = M N for n x n matrices
//     filter_plain, filter_tiled      y[r][c] = the sum of weights[i][j] * x[r + i - 2][c + j - 2]
//                                     over 0 <= i, j < 5; beyond its edges, x is 0
//
// Matrices and images are row-major. Sizes need not be multiples of anything. n, rows, columns, height and width
// may be 0, except that the numbers to count and the matrices to multiply have at least one element; bins is from
// 1 to 4096. sum and counts are undefined on entry. Inputs must stay unchanged.
#pragma once

#include <cuda_runtime.h>

void saxpy_single(int n, float a, const float *x, float *y);
void saxpy_wide(int n, float a, const float *x, float *y);
void sum_tree(int n, const float *x, float *sum);
void sum_shuffled(int n, const float *x, float *sum);
void count_shared(int n, int bins, const unsigned *x, unsigned *counts);
void count_crowds(int n, int bins, const unsigned *x, unsigned *counts);
void turn_square(int rows, int columns, const float *A, float *B);
void turn_tall(int rows, int columns, const float *A, float *B);
void product_square(int n, const float *M, const float *N, float *P);
void product_pair(int n, const float *M, const float *N, float *P);
void filter_plain(int height, int width, const float *x, const float *weights, float *y);
void filter_tiled(int height, int width, const float *x, const float *weights, float *y);
