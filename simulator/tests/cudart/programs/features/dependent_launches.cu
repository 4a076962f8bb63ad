// Programmatic dependent launch: a kernel may begin before the one ahead of it in the stream has ended, and
// waits for its results where it needs them; in CUDA C++ and as griddepcontrol.
// nvcc: -gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90
#include <cstdio>

#include "../check.hpp"

constexpr int BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS;

__global__ void fill(int *values) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  values[i] = 3 * i;
  asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void add_one(int *values) {
  const int i = blockIdx.x * THREADS + threadIdx.x, own = 1;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  values[i] += own;
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void twice(const int *values, int *out) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  cudaGridDependencySynchronize();
  out[i] = 2 * values[i];
}

template <typename... Parameters, typename... Arguments>
void launch_early(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = BLOCKS;
  config.blockDim = THREADS;
  config.stream = stream;
  config.attrs = early;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

int main() {
  cudaStream_t stream;
  int *values, *out;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocManaged(&values, N * sizeof(int)));
  CHECK(cudaMallocManaged(&out, N * sizeof(int)));
  fill<<<BLOCKS, THREADS, 0, stream>>>(values);
  launch_early(stream, add_one, values);
  launch_early(stream, twice, values, out);
  CHECK(cudaStreamSynchronize(stream));
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += out[i] != 2 * (3 * i + 1);
  std::printf("out[0] = %d, out[%d] = %d, wrong: %d\n", out[0], N - 1, out[N - 1], wrong);
  CHECK(cudaFree(values));
  CHECK(cudaFree(out));
  CHECK(cudaStreamDestroy(stream));
}
