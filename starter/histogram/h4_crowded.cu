// Step crowded: most of the numbers are equal. All lanes of a warp then want the same private bin, and wait
// for each other.
//
// A thread that meets the same number several times in a row need not add each of them at once.
#include "counts.h"

[[maybe_unused]] constexpr int THREADS = 256, EACH = 32;

__global__ void add_crowded(int n, int bins, const unsigned *x, unsigned *counts) {
  extern __shared__ unsigned own[];  // `bins` of them
  // TODO(1): let a thread remember a number and how often it has seen it, and add to the private bin only
  // when another number comes, and at the end.
}

void count_crowded(int n, int bins, const unsigned *x, unsigned *counts) {
  // TODO(2): clear the bins, and launch.
}
