#include "two_files.hpp"

static __device__ int state = 2;
__constant__ int factor = 3;
static __global__ void step() {
  state = state * factor + 1;
}

int other_file() {
  int value = 0;
  step<<<1, 1>>>();
  cudaMemcpyFromSymbol(&value, state, sizeof value);
  return shared_template<3>() == 3 ? value : -1;
}
