// The contract of assignment histogram. Every file defines one launcher that computes, on the GPU,
//
//     counts[b] = how many of x[0] ... x[n - 1] are b, for each b from 0 to bins - 1
//
// n           from 1 up; no multiple of anything
// bins        from 1 to 4096; all numbers in x are below it
// x, counts   device pointers. x stays as it is; what counts holds before means nothing.
#pragma once

#include <cuda_runtime.h>

void count_direct(int n, int bins, const unsigned *x, unsigned *counts);
void count_private(int n, int bins, const unsigned *x, unsigned *counts);
void count_coarsened(int n, int bins, const unsigned *x, unsigned *counts);
void count_crowded(int n, int bins, const unsigned *x, unsigned *counts);
