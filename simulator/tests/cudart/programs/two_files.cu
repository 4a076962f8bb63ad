// Two files that use the same names for their own device variables and kernels.
#include "check.hpp"
#include "two_files.hpp"

static __device__ int state = 1;
__constant__ int factor = 10;
static __global__ void step() {
  state = state * factor + 1;
}

int other_file();

int main() {
  int value = 0;
  step<<<1, 1>>>();
  CHECK(cudaMemcpyFromSymbol(&value, state, sizeof value));
  EXPECT(value == 11);
  EXPECT(other_file() == 7);
  step<<<1, 1>>>();
  CHECK(cudaMemcpyFromSymbol(&value, state, sizeof value));
  EXPECT(value == 111);
  EXPECT(shared_template<3>() == 3 && shared_template<4>() == 4);
}
