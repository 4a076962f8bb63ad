// nvcc: -rdc=true -lcudadevrt
// A kernel that starts another kernel.
#include <cstdio>

__global__ void child(int *p) {
  p[threadIdx.x] = 1;
}
__global__ void parent(int *p) {
  if (threadIdx.x == 0) child<<<1, 32>>>(p);
}

int main() {
  int *p;
  cudaMalloc(&p, 128);
  parent<<<1, 32>>>(p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
