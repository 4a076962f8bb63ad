// nvcc: -lcuda
// A call of the runtime makes a context, which the driver API may use without cuInit.
#include <cuda.h>

#include <cstdio>

__global__ void twice(int *value) {
  *value *= 2;
}

int main() {
  int count = 0, *value, number = 21;
  cudaGetDeviceCount(&count);
  printf("a device: %d\n", count > 0);
  cudaMalloc(&value, sizeof number);
  CUcontext current = nullptr;
  const CUresult asked = cuCtxGetCurrent(&current);
  printf("a context after cudaMalloc: %d %d\n", asked, current != nullptr);
  printf("a copy by the driver: %d\n",
         cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(value), &number, sizeof number));
  twice<<<1, 1>>>(value);
  cudaMemcpy(&number, value, sizeof number, cudaMemcpyDeviceToHost);
  printf("%d\n", number);
  cudaFree(value);
}
