// Two files that name each other's device code, compiled separately (-rdc=true).
#include "check.hpp"

extern __device__ int twice(int);
extern __constant__ int shift;
extern __device__ int calls;

template <class T>
__device__ __noinline__ T thrice(T x) {
  return x * 3;
}

static __device__ int local(int x) {
  return x + shift;
}

static __device__ __noinline__ void count() {
  atomicAdd(&calls, 1);
}

__global__ void f(int *out, int from) {
  count();
  out[threadIdx.x - from] = local(twice(threadIdx.x)) + thrice(2);  // HERE out_of_range
  if (from < 0) printf("from %d\n", from);
}

int other_file(int *out);

int main(int argc, char **) {
  int *device, host[64], value = 0;
  CHECK(cudaMalloc(&device, sizeof host));
  f<<<1, 64>>>(device, argc > 1 ? -1 : 0);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(host[i] == 2 * i + 7 + 6);
  CHECK(cudaMemcpyFromSymbol(&value, calls, sizeof value));
  EXPECT(value == 1064);
  EXPECT(other_file(device) == 3 + 5);
  CHECK(cudaFree(device));
}
