// Small things that programs rely on: clocks, __nanosleep, launch attributes, occupancy, recursion, variadic
// printf, functions through pointers, constant memory, warp votes.
#include <cstdio>

__constant__ float weights[4] = {0.25f, 0.5f, 0.75f, 1.0f};
__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
using Operation = int (*)(int, int);
__device__ int plus_of(int a, int b) {
  return a + b;
}
__device__ int times_of(int a, int b) {
  return a * b;
}
__device__ Operation operations[] = {plus_of, times_of};

__global__ void clocks(long long *out) {
  const long long start = clock64();
  const unsigned short_start = clock();
  __nanosleep(100);
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  __nanosleep(1000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  out[0] = clock64() > start;
  out[1] = clock() != short_start;
  out[2] = after >= before;
}
__global__ void compute(int *out) {
  const int t = threadIdx.x;
  out[t] = fibonacci(t % 10) + operations[t % 2](t, 3) + static_cast<int>(4 * weights[t % 4]);
  const unsigned odd = __ballot_sync(0xffffffff, t % 2);
  if (t == 0) printf("votes %08x %d %d %s %.3f\n", odd, __any_sync(1, 1), __popc(odd), "text", 0.5);
}
__global__ void asserts(int x) {
  if (x > 100) __trap();
}

int main() {
  long long *times, t[3];
  cudaMalloc(&times, sizeof t);
  clocks<<<1, 1>>>(times);
  cudaMemcpy(t, times, sizeof t, cudaMemcpyDeviceToHost);
  printf("clocks %lld %lld %lld\n", t[0], t[1], t[2]);
  int *values, v[32];
  cudaMalloc(&values, sizeof v);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  printf("launch %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, compute, values)));
  cudaMemcpy(v, values, sizeof v, cudaMemcpyDeviceToHost);
  printf("values %d %d %d\n", v[0], v[9], v[31]);
  asserts<<<1, 1>>>(1);
  cudaFree(times);
  cudaFree(values);
  printf("end %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
