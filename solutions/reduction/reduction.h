// What the launchers of this assignment compute. All pointers are device pointers.
//
//     argmin:          place[0] = the smallest i for which x[i] is the smallest of x[0] ... x[n - 1]
//     all other steps: sum[0]   = x[0] + x[1] + ... + x[n - 1]; 0 if n is 0
//
// n is any number, for argmin at least 1. x must stay unchanged; sum and place are undefined on entry. x has
// no NaN. A launcher chooses grid and block itself, and may allocate and free memory of its own. It may not
// read results back to the host.
#pragma once

#include <cuda_runtime.h>

void interleaved(int n, const float *x, float *sum);
void sequential(int n, const float *x, float *sum);
void first_add(int n, const float *x, float *sum);
void shuffled(int n, const float *x, float *sum);
void one_pass(int n, const float *x, float *sum);
void argmin(int n, const float *x, int *place);
