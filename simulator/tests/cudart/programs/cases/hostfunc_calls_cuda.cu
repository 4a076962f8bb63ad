// A function that a stream runs calls CUDA, which is not permitted.
#include <cstdio>
static int *d, got = -1;
static void later(void *) {
  cudaError_t e = cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost);
  printf("inside: %s, got %d\n", cudaGetErrorName(e), got);
}
__global__ void put(int *p) {
  *p = 7;
}
int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc(&d, 4);
  put<<<1, 1, 0, s>>>(d);
  cudaLaunchHostFunc(s, later, nullptr);
  cudaStreamSynchronize(s);
  cudaFree(d);
  cudaStreamDestroy(s);
}
