// What the launchers of this assignment compute: y = A x for a sparse matrix A. All pointers are device
// pointers.
//
//     y[r] = the sum of value * x[column] over the entries of row r that are stored     for 0 <= r < rows
//
// A row without entries gives 0. The three formats:
//
//     coo: entry e is in row row[e] and column column[e] and has value[e], for 0 <= e < entries. The entries
//          come in any order; no place of A is there twice.
//     scalar, vector, balanced (CSR): row r has the entries start[r] <= e < start[r + 1], of which each has
//          column[e] and value[e]; columns ascend. start has rows + 1 elements: start[0] = 0 and
//          start[rows] = entries.
//     ell: entry k of row r is at k * rows + r, for 0 <= k < width. Rows with fewer than width entries are
//          padded at their end: column is -1 there, and value is 0.
//
// rows, columns, entries and width are >= 0. y holds anything before the call. All other arrays must stay
// unchanged. A launcher chooses grid and block itself, and may allocate and free memory of its own. It may
// not read results back to the host, and the arrays are not on the host either.
#pragma once

#include <cuda_runtime.h>

void coo(int rows, int columns, int entries, const int *row, const int *column, const float *value,
         const float *x, float *y);
void scalar(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y);
void vector(int rows, int columns, int entries, const int *start, const int *column, const float *value,
            const float *x, float *y);
void ell(int rows, int columns, int width, const int *column, const float *value, const float *x, float *y);
void balanced(int rows, int columns, int entries, const int *start, const int *column, const float *value,
              const float *x, float *y);
