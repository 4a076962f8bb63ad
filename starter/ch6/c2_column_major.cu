// Step column_major: the kernel of row_major, but N is column-major. Threads keep their positions, and there
// is no shared memory yet: the next step repairs this pattern.
//
// Each lane now walks along memory as k grows. How far apart are two neighbouring lanes?
#include "layouts.h"

[[maybe_unused]] constexpr int WIDTH = 32, HEIGHT = 8;  // of a block

__global__ void multiply_columns(int n, const float *M, const float *N, float *P) {
  // TODO(1): compute one element of P, and read N directly from global memory.
}

void column_major(int n, const float *M, const float *N, float *P) {
  // TODO(2): launch it as in row_major.
}
