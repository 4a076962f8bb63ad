// What the launchers of this assignment compute. All arrays are device memory; rows have no gaps between
// them.
//
//     all but attention:  y[r][c] = e^x[r][c] / (the sum of e^x[r][i] over 0 <= i < columns)
//                         for matrices of rows x columns floats
//     attention:          score[i][j] = (the sum of Q[i][d] * K[j][d] over 0 <= d < WIDTH) / sqrt(WIDTH)
//                         O[i][d] = the sum of weight[i][j] * V[j][d] over 0 <= j < keys
//                         where weight[i] is the softmax of score[i]; Q and O have `queries` rows, K and V
//                         `keys` rows, of WIDTH floats each
//
// rows and queries may be 0: then there is nothing to compute. columns and keys are at least 1. Inputs may be
// so large that e^x is no float; the result always is one. Inputs must stay unchanged. A launcher chooses
// grid and block itself. It may not read results back to the host.
#pragma once

#include <cuda_runtime.h>

[[maybe_unused]] constexpr int WIDTH = 64;  // of a query, a key and a value; its root is 8

void naive(int rows, int columns, const float *x, float *y);
void shared(int rows, int columns, const float *x, float *y);
void shuffled(int rows, int columns, const float *x, float *y);
void online(int rows, int columns, const float *x, float *y);
void attention(int queries, int keys, const float *Q, const float *K, const float *V, float *O);
