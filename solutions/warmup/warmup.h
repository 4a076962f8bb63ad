// What the launchers of this assignment compute. All pointers are device pointers. A launcher chooses grid
// and block itself. It may not read results back to the host.
//
//     add:           z[i] = x[i] + y[i]          for 0 <= i < n
//     saxpy, stride: y[i] = a * x[i] + y[i]      for 0 <= i < n
//     grey:          grey[p] = (77 * red + 150 * green + 29 * blue) / 256, rounded down, for every pixel p of
//                    an image of height * width pixels, row by row. The colours of pixel p are rgb[3 * p], rgb[3 * p + 1]
//                    and rgb[3 * p + 2], each from 0 to 255.
//
// n >= 0: for no elements at all, a launcher does nothing. height and width are from 1 to 16384, so an int
// counts the bytes of an image. Sizes need not be multiples of anything.
#pragma once

#include <cuda_runtime.h>

void add(int n, const float *x, const float *y, float *z);
void saxpy(int n, float a, const float *x, float *y);
void stride(int n, float a, const float *x, float *y);
void grey(int height, int width, const unsigned char *rgb, unsigned char *grey);
