// Step brent: the scan of Brent and Kung. A tree adds up towards its root, and a second one hands sums down
// to the leaves.
//
// Kogge and Stone do n log n additions, this does fewer than 2 n. The threads that work are neighbours:
// thread t works on the element (t + 1) * 2 * distance - 1.
#include "scan.h"

[[maybe_unused]] constexpr int THREADS = 256;

__global__ void scan_blocks_in_trees(int n, const int *x, int *y, int *sums) {
  [[maybe_unused]] __shared__ int part[THREADS];
  [[maybe_unused]] const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  // TODO(1): bring one element per thread.
  // TODO(2): towards the root: each working element adds the one `distance` before it; the distance doubles.
  // TODO(3): back to the leaves: the element `distance` behind a finished one adds it; the distance halves.
}

__global__ void add_sums_before(int n, int *y, const int *sums) {
  // TODO(4): as in step kogge.
}

void brent(int n, const int *x, int *y) {
  // TODO(5): as in step kogge.
}
