// Code that runs after the launcher returned: M says what.
#include <unistd.h>

#include <cstdlib>

#include "gemm.h"

__global__ void kernel(float *C) {
  C[0] = 1;
}

static float *kept;
static int mode;

struct Late {
  ~Late() {
    if (mode == 2) kernel<<<2, 1>>>(kept);
    if (mode == 3) _exit(0);
    if (mode == 4)
      for (;;) pause();
  }
} late;

void step0(int M, int, int, float, const float *, const float *, float, float *C) {
  kept = C;
  mode = M;
  if (M == 1) atexit([] { kernel<<<2, 1>>>(kept); });
  kernel<<<1, 1>>>(C);
}
