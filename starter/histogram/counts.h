// The contract of assignment histogram. Every file defines one launcher that computes, on the GPU,
//
//     counts[b] = how many of x[0] ... x[n - 1] equal b, for each b from 0 to bins - 1
//
// n           any number >= 1; it need not be a multiple of anything.
// bins        from 1 to 4096; all numbers in x are below it.
// x, counts   device pointers. x must stay unchanged; counts is undefined on entry.
#pragma once

#include <cuda_runtime.h>

void count_direct(int n, int bins, const unsigned *x, unsigned *counts);
void count_private(int n, int bins, const unsigned *x, unsigned *counts);
void count_coarsened(int n, int bins, const unsigned *x, unsigned *counts);
void count_crowded(int n, int bins, const unsigned *x, unsigned *counts);
