// What the launchers of this assignment compute. All pointers are device pointers.
//
//     compact:         y[0] ... y[k - 1] = the elements of x that are not negative, in their order; kept[0] =
//     k, their number;
//                      the rest of y stays as it is
//     all other steps: y[i] = x[0] + x[1] + ... + x[i]     for 0 <= i < n
//
// n >= 0; kept is 0 if n is 0. No sum exceeds an int. x must stay unchanged. A launcher chooses grid and
// block itself, and may allocate and free memory of its own. It may not read results back to the host.
#pragma once

#include <cuda_runtime.h>

void kogge(int n, const int *x, int *y);
void brent(int n, const int *x, int *y);
void coarse(int n, const int *x, int *y);
void single(int n, const int *x, int *y);
void compact(int n, const int *x, int *y, int *kept);
