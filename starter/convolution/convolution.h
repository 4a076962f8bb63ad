// What the launchers of this assignment compute. All arrays are device memory; rows follow each other without
// gaps. Beyond the edges of x, everything is 0.
//
//     plain, constant, tiled:   y[r][c] = the sum of weights[i][j] * x[r+i-2][c+j-2] over 0 <= i, j < 5
//                               for an image of height x width floats; weights are 5 x 5 floats
//     separable:                the same with weights[i][j] = down[i] * across[j];
//                               down and across are 5 floats
//     boxed, sliding:           y[z][r][c] = a * x[z][r][c] + b * (the sum of its six neighbours)
//                               for depth planes of height x width floats
//
// Sizes may be 0: then there is nothing to compute. An image has at most 32768 rows and columns, a volume at
// most 1024 of each: an int counts the elements. All inputs must stay unchanged. A launcher chooses grid and
// block itself. It may not read results back to the host.
#pragma once

#include <cuda_runtime.h>

void plain(int height, int width, const float *x, const float *weights, float *y);
void constant(int height, int width, const float *x, const float *weights, float *y);
void tiled(int height, int width, const float *x, const float *weights, float *y);
void separable(int height, int width, const float *x, const float *across, const float *down, float *y);
void boxed(int depth, int height, int width, float a, float b, const float *x, float *y);
void sliding(int depth, int height, int width, float a, float b, const float *x, float *y);
