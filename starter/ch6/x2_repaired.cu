// Step repaired: the same d and e as the kernel of x1_exercise.cu, with coalesced loads and without bank
// conflicts. The stores to e stay 8 elements apart: that is where the results belong.
#include "layouts.h"

[[maybe_unused]] constexpr int THREADS = 256, TERMS = 4;

__global__ void touch_in_order(const float *a, const float *b, const float *c, float *d, float *e) {
  // TODO(1): load c so that a warp reads neighbouring elements (a thread needs 4 consecutive numbers), and
  // lay out the sums in shared memory so that a warp finds every 4th of them in a different bank.
}

void repaired(int n, const float *a, const float *b, const float *c, float *d, float *e) {
  // TODO(2): launch it.
}
