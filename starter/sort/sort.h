// What every launcher of this assignment computes: n pairs of a key and a value, in the order of their keys.
// All pointers are device pointers.
//
//     sorted_keys[0] <= sorted_keys[1] <= ... <= sorted_keys[n - 1]: the keys, as unsigned numbers of 32 bits
//     sorted_values[i] is the value that came with sorted_keys[i]
//     the order is stable: of equal keys, the one that came first stays first
//
// n >= 0. Every value of 32 bits may be a key. keys and values must stay unchanged. A launcher chooses grid
// and block itself, and may allocate and free memory of its own. It may not read results back to the host.
#pragma once

#include <cuda_runtime.h>

void bits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
          unsigned *sorted_values);
void digits(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
            unsigned *sorted_values);
void tiles(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values);
void sweep(int n, const unsigned *keys, const unsigned *values, unsigned *sorted_keys,
           unsigned *sorted_values);
