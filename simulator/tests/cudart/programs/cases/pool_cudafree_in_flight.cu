// cudaFree of memory from a pool does not wait for the kernel that writes it.
#include <cstdio>
__global__ void ramp(int *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
int main() {
  cudaStream_t s;
  int *p;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMallocAsync(&p, 1024 * 4, s);
  cudaStreamSynchronize(s);
  ramp<<<8, 128, 0, s>>>(p);
  cudaFree(p);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaStreamDestroy(s);
}
