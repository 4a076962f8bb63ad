// What every step of this assignment computes, in single precision. A has `rows` rows of `columns` floats;
// matrices are row-major without gaps, and the pointers are device pointers.
//
//     copy:            B[r * columns + c] = A[r * columns + c]     B has the shape of A
//     all other steps: B[c * rows + r]    = A[r * columns + c]     B has `columns` rows of `rows` floats
//
// rows >= 0 and columns >= 0, of any size: of a matrix without elements there is nothing to move. A launcher
// chooses grid and block itself. It may launch several kernels. It may not read results back to the host.
#pragma once

#include <cuda_runtime.h>

void copy(int rows, int columns, const float *A, float *B);
void naive(int rows, int columns, const float *A, float *B);
void tile(int rows, int columns, const float *A, float *B);
void padded(int rows, int columns, const float *A, float *B);
void wide(int rows, int columns, const float *A, float *B);
