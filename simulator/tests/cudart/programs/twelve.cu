// What an object of CUDA 12 asks for under other names than one of CUDA 13.
#include "check.hpp"

extern "C" cudaError_t cudaGetDeviceProperties_v2(void *, int);

__global__ void set(int *p) {
  *p = 12;
}

int main() {
  // The structure of CUDA 12 has 1032 bytes; the offsets are those of its fields.
  alignas(8) char properties[1032 + 8];
  std::memset(properties, 'x', sizeof properties);
  CHECK(cudaGetDeviceProperties_v2(properties, 0));
  const auto integer = [&](int offset) {
    int value = 0;
    std::memcpy(&value, properties + offset, sizeof value);
    return value;
  };
  cudaDeviceProp same;
  CHECK(cudaGetDeviceProperties(&same, 0));
  EXPECT(std::strcmp(properties, same.name) == 0);
  EXPECT(integer(308) == 32);                        // warpSize
  EXPECT(integer(348) == 1000000);                   // clockRate, which CUDA 13 dropped
  EXPECT(integer(360) == 9 && integer(364) == 0);    // major, minor
  EXPECT(integer(388) == same.multiProcessorCount);  // behind deviceOverlap
  EXPECT(integer(624) == 2048);                      // maxThreadsPerMultiProcessor
  EXPECT(properties[1031] == 0 && properties[1032] == 'x');

  int *p, value = 0;
  CHECK(cudaMalloc(&p, sizeof value));
  void *arguments[] = {&p};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(set), dim3(1), dim3(1), arguments, 0, nullptr));
  CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 12);
  CHECK(cudaFree(p));
}
