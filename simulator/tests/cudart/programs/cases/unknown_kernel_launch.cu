// A function that is not a kernel is launched, and the program only prints the error.
#include <cstdio>
#include <cstdlib>
__global__ void fill(int *p) {
  p[threadIdx.x] = 7;
}
static void not_a_kernel(int *) {}
int main() {
  int *d, h[4] = {0, 0, 0, 0};
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  void *args[] = {&d};
  void (*which)(int *) = getenv("GOOD") ? fill : not_a_kernel;
  cudaError_t e = cudaLaunchKernel((const void *)which, dim3(1), dim3(4), args, 0, nullptr);
  printf("%d %s\n", (int)e, cudaGetErrorName(e));
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[3]);
  cudaFree(d);
}
