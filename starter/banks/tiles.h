// The contract of assignment banks. Every file defines one launcher that computes, on the GPU,
//
//     C = A B          or, if transposed is 1,          C = A B', the product with B transposed
//
// n           rows and columns of each matrix; a multiple of 32.
// block       16 or 32: the width of the square tiles, and of the square thread blocks.
// A, B, C     device pointers to row-major matrices of single-precision numbers, without padding.
//             A and B must stay unchanged.
//
// All four launchers do the same arithmetic, tile by tile. They differ in how the threads of a block copy a
// tile of B to shared memory:
//
//                 the element keeps its place     the element changes row and column
//   reads rows    way 1: same order, copy         way 2: same order, transpose
//   reads columns way 3: opposite order, copy     way 4: opposite order, transpose
#pragma once

#include <cuda_runtime.h>

void way1(int n, int block, int transposed, const float *A, const float *B, float *C);
void way2(int n, int block, int transposed, const float *A, const float *B, float *C);
void way3(int n, int block, int transposed, const float *A, const float *B, float *C);
void way4(int n, int block, int transposed, const float *A, const float *B, float *C);
