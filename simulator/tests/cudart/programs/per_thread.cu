// --default-stream per-thread renames the calls.
#include "check.hpp"

__global__ void fill(int *p, int value) {
  p[threadIdx.x] = value;
}

int main() {
  int *p, host[32];
  CHECK(cudaMalloc(&p, sizeof host));
  CHECK(cudaMemset(p, 0, sizeof host));
  fill<<<1, 32>>>(p, 5);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(0));
  EXPECT(host[31] == 5);
  CHECK(cudaFree(p));
}
