// The stream that frees waits for nothing, and the kernel in the other stream still writes.
#include <cstdio>
__global__ void ramp(int *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
int main() {
  cudaStream_t one, two;
  int *p;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaMallocAsync(&p, 1024 * 4, one);
  ramp<<<8, 128, 0, one>>>(p);
  cudaFreeAsync(p, two);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
