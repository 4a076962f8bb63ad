// Says what it sees of the device.
#include <cstdio>
__global__ void fill(int *to) {
  to[threadIdx.x] = 1;
}
int main() {
  cudaDeviceProp device;
  int blocks = 0;
  cudaGetDeviceProperties(&device, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0);
  printf("%s, %d.%d, %d multiprocessors of %d threads, %d blocks of 1024\n", device.name, device.major,
         device.minor, device.multiProcessorCount, device.maxThreadsPerMultiProcessor, blocks);
}
