// Memory that another process would open.
#include <cstdio>

int main() {
  int *p;
  cudaMalloc(&p, 4);
  cudaIpcMemHandle_t handle;
  printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, p)));
}
