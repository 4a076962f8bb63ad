// The contract of assignment unroll. Every file defines one kernel with this name and these parameters:
//
//     a = b * c          a is n x m, b is n x p, c is p x m, single precision
//
// n, m, p    multiples of 64
// a, b, c    device pointers. The matrices lie column by column: element [i, j] of a is a[i + pitch_a * j],
// that
//            of b is b[i + pitch_b * j], that of c is c[i + pitch_c * j]. A pitch is at least the number of
//            rows; what lies between two columns belongs to nobody and stays as it is. b and c stay as they
//            are; a holds anything on entry, and is written once you return.
//
// For k6 alone, a and c are transposed: [i, j] of a is a[j + pitch_a * i], [k, j] of c is c[j + pitch_c * k].
//
// Grid and block come from outside: the assignment's YAML gives each kernel its own, and `./grade mmdriver`
// any that you ask for. A kernel is right for the geometry that its file's comment names.
#pragma once

#include <cuda_runtime.h>

extern "C" __global__ void mmkernel(float *a, float *b, float *c, int pitch_a, int pitch_b, int pitch_c,
                                    int n, int m, int p);

// What the grader calls. There is nothing to do here.
void run_mmkernel(int n, int m, int p, int pitch_a, int pitch_b, int pitch_c, int grid_x, int grid_y,
                  int block_x, int block_y, float *a, float *b, float *c) {
  mmkernel<<<dim3(grid_x, grid_y), dim3(block_x, block_y)>>>(a, b, c, pitch_a, pitch_b, pitch_c, n, m, p);
}
