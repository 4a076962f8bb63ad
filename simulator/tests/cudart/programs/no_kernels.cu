// A program that asks the device and has no kernels: the machine code that nvcc leaves in it is empty.
#include <cstdio>

int main() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  std::printf("%d %s\n", count, cudaGetErrorName(error));
}
