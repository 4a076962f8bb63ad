// The contract of assignment unroll. Every file defines one kernel with this name and these parameters:
//
//     a = b * c          a is n x m, b is n x p, c is p x m, single precision
//
// n, m, p    multiples of 64.
// a, b, c    device pointers to column-major matrices. Element [i, j] of a is a[i + pitch_a * j], that of b
//            is b[i + pitch_b * j], and that of c is c[i + pitch_c * j]. A pitch is at least the number of
//            rows. Do not write to the gaps between columns. b and c must stay unchanged. a is undefined on
//            entry, and must be written completely.
//
// Only for k6, a and c are transposed: [i, j] of a is a[j + pitch_a * i], [k, j] of c is c[j + pitch_c * k].
//
// You do not choose the grid and the block: the assignment's YAML sets them for each kernel, and
// `./grade mmdriver` takes any. A kernel must be right for the geometry in the comment of its file.
#pragma once

#include <cuda_runtime.h>

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c,
                                    int n, int m, int p);

// The grader calls this function. Do not change it.
void run_mmkernel(int n, int m, int p, int pitch_a, int pitch_b, int pitch_c, int grid_x, int grid_y,
                  int block_x, int block_y, float *a, float *b, float *c) {
  mmkernel<<<dim3(grid_x, grid_y), dim3(block_x, block_y)>>>(a, b, c, pitch_a, pitch_b, pitch_c, n, m, p);
}
