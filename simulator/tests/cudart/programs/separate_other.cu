#include <cstdio>

__constant__ int shift = 7;
__device__ int calls = 1000;

template <class T>
__device__ __noinline__ T thrice(T x) {
  return x * 3;
}

static __device__ __noinline__ int local(int x) {
  return 2 * x;
}

__device__ int twice(int x) {
  if (x < 0) printf("never\n");
  return local(x);
}

static __global__ void f(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = thrice(1) + 5;
  __syncwarp();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

int other_file(int *out) {
  int value = 0;
  f<<<1, 32>>>(out);
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}
