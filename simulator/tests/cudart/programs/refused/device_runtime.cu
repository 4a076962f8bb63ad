// nvcc: -rdc=true -lcudadevrt
// A kernel that asks the runtime for what is not simulated in device code.
#include <cstdio>

__global__ void ask(int *p) {
  cudaDeviceGetAttribute(p, cudaDevAttrMaxThreadsPerBlock, 0);
}

int main() {
  int *p;
  cudaMalloc(&p, sizeof(int));
  ask<<<1, 1>>>(p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
