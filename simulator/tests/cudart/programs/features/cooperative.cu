// Blocks of a cooperative launch wait for each other: grid.sync(), again and again; the launch that is too
// large.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

/// Sums by halves; every round needs what all blocks wrote in the one before.
__global__ void reduce(int *values, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int half = count / 2; half > 0; half /= 2) {
    for (int i = static_cast<int>(grid.thread_rank()); i < half; i += static_cast<int>(grid.size()))
      values[i] += values[i + half];
    grid.sync();
  }
}

/// A barrier in two steps, and the indices of the grid.
__global__ void arrive_and_wait(int *values, int *sums) {
  cg::grid_group grid = cg::this_grid();
  const unsigned block = grid.block_rank();
  if (threadIdx.x == 0) values[block] = static_cast<int>(block) + 1;
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < grid.num_blocks(); ++i) sum += values[i];
    sums[block] = sum;
  }
}

__global__ void touch(int *values) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main() {
  constexpr int count = 4096;
  static int host[count];
  for (int i = 0; i < count; ++i) host[i] = i % 7;
  int *values;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  int n = count;
  void *arguments[] = {&values, &n};
  printf("reduce: %s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel(reduce, dim3(8), dim3(128), arguments)));
  cudaMemcpy(host, values, sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum %d\n", host[0]);

  int *sums;
  cudaMalloc(&sums, 16 * sizeof(int));
  void *two[] = {&values, &sums};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4, 4);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  printf("arrive: %s\n", cudaGetErrorName(cudaLaunchKernelExC(
                             &config, reinterpret_cast<const void *>(arrive_and_wait), two)));
  cudaMemcpy(host, sums, 16 * sizeof(int), cudaMemcpyDeviceToHost);
  int right = 0;
  for (int i = 0; i < 16; ++i) right += host[i] == 136;
  printf("%d of 16 sums\n", right);

  int supported = 0, processors = 0, blocks = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 1024, 0);
  printf("supported %d, blocks a multiprocessor %d\n", supported, blocks);
  void *one[] = {&values};
  printf("too large: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(touch, dim3(processors * blocks + 1),
                                                                         dim3(1024), one)));
  cudaGetLastError();
  cudaFree(values);
  cudaFree(sums);
  printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
