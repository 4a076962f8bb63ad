// What the runtime answers to mistakes, printed line by line: the same text is expected from the simulator
// and from a GPU.
#include <cassert>

#include "check.hpp"

static void say(const char *what, cudaError_t error) {
  std::printf("%s: %d %s\n", what, static_cast<int>(error), cudaGetErrorName(error));
}

__global__ void store(int *p, int at) {
  p[at] = 1;
}
__global__ void __launch_bounds__(64) bounded(int *p) {
  p[threadIdx.x] = 1;
}
__global__ void odd_address(char *p) {
  *reinterpret_cast<int *>(p + 1) = 1;
}
__global__ void expects(int n) {
  assert(n == 0);
}
__global__ void quiet(int n) {
  assert(n == 0);
}
__global__ void traps() {
  __trap();
}
__global__ void endless(volatile int *p) {
  while (*p == 0) {
  }
}
__device__ int number;

static void try_launch(const char *what, dim3 grid, dim3 block, size_t shared, int *p) {
  store<<<grid, block, shared>>>(p, 0);
  say(what, cudaGetLastError());
}

static void launches() {
  int *p;
  CHECK(cudaMalloc(&p, 256));
  try_launch("a block of 2048", 1, 2048, 0, p);
  say("asked again", cudaGetLastError());
  try_launch("a block of 32 x 64", 1, dim3(32, 64), 0, p);
  try_launch("a block 65 deep", 1, dim3(1, 1, 65), 0, p);
  try_launch("a block of none", 1, 0, 0, p);
  try_launch("a grid of none", 0, 32, 0, p);
  try_launch("a grid 65536 high", dim3(1, 65536), 1, 0, p);
  try_launch("49152 bytes of shared memory", 1, 1, 49152, p);
  try_launch("49156 bytes of shared memory", 1, 1, 49156, p);
  bounded<<<1, 65>>>(p);
  say("more threads than __launch_bounds__", cudaGetLastError());
  say("raise the limit too far",
      cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
  say("raise the limit", cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304));
  cudaGetLastError();
  try_launch("98304 bytes then", 1, 1, 98304, p);
  try_launch("98308 bytes then", 1, 1, 98308, p);
  int plain = 0;
  void *arguments[] = {&p, &plain};
  say("a launch of something that is not a kernel",
      cudaLaunchKernel(reinterpret_cast<const void *>(&plain), dim3(1), dim3(1), arguments, 0, nullptr));
  cudaGetLastError();
  say("the device goes on", cudaDeviceSynchronize());
  cudaFree(p);
}

static cudaError_t launch_clusters(unsigned blocks, unsigned size) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(1);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, quiet, 0);
}

static void clusters() {
  say("clusters of 2", launch_clusters(4, 2));
  say("a grid of 5 blocks", launch_clusters(5, 2));
  say("asked for", cudaGetLastError());
  say("clusters of 16", launch_clusters(16, 16));
  cudaGetLastError();
  say("allowed", cudaFuncSetAttribute(quiet, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  say("clusters of 16 then", launch_clusters(16, 16));
  say("the device goes on", cudaDeviceSynchronize());
}

static void memory() {
  int *p, *q, host[64] = {};
  void *v = nullptr;
  CHECK(cudaMalloc(&p, 256));
  say("2^50 bytes", cudaMalloc(&v, size_t{1} << 50));
  say("peek", cudaPeekAtLastError());
  say("last", cudaGetLastError());
  say("last again", cudaGetLastError());
  say("no bytes", cudaMalloc(&v, 0));
  say("no place for the answer", cudaMalloc(static_cast<void **>(nullptr), 4));
  say("managed, no bytes", cudaMallocManaged(&v, 0));
  say("past the end", cudaMemcpy(p, host, 260, cudaMemcpyHostToDevice));
  say("kind 77", cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(77)));
  say("host to device, to the host", cudaMemcpy(host, p, 4, cudaMemcpyHostToDevice));
  say("device to host, to the device", cudaMemcpy(p, host, 4, cudaMemcpyDeviceToHost));
  say("fill host memory", cudaMemset(host, 0, 4));
  say("a pitch below the width", cudaMemcpy2D(p, 4, host, 16, 16, 2, cudaMemcpyHostToDevice));
  say("no symbol", cudaMemcpyToSymbol(host, host, 4));
  say("past the end of a symbol", cudaMemcpyToSymbol(number, host, 8));
  say("a symbol, wrong direction", cudaMemcpyToSymbol(number, host, 4, 0, cudaMemcpyDeviceToHost));
  say("free the host's", cudaFree(host));
  say("free the middle", cudaFree(p + 1));
  say("free", cudaFree(p));
  say("free again", cudaFree(p));
  say("free nothing", cudaFree(nullptr));
  CHECK(cudaMallocHost(&q, 256));
  say("free pinned memory as the device's", cudaFree(q));
  say("free pinned memory", cudaFreeHost(q));
  say("unregister what was not", cudaHostUnregister(host));
  say("a device that does not exist", cudaSetDevice(7));
  cudaEvent_t start, stop;
  float milliseconds;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  say("time without records", cudaEventElapsedTime(&milliseconds, start, stop));
  cudaFuncAttributes attributes;
  say("attributes of something that is not a kernel",
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&host)));
  say("an unknown attribute", cudaDeviceGetAttribute(&host[0], static_cast<cudaDeviceAttr>(5000), 0));
  cudaGetLastError();
  say("the device goes on", cudaDeviceSynchronize());
}

/// Keeps 128 values at once, which takes more than the 64 registers per thread that a block of 1024 may have.
__global__ void greedy(float *p) {
  float values[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) values[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 128; ++i) p[(127 - i) * 1024 + threadIdx.x] = values[i] * values[(i + 1) % 128];
}

static void questions() {
  static float host[4];
  const void *const no_kernel = host;
  const void *const kernel = reinterpret_cast<const void *>(&store);
  float *p;
  int number;
  size_t bytes;
  CHECK(cudaMalloc(&p, 1 << 20));
  say("ask for limit 77", cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(77)));
  say("set limit 77", cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1));
  say("kind 77, no bytes", cudaMemcpy(p, host, 0, static_cast<cudaMemcpyKind>(77)));
  say("fill with a pitch below the width", cudaMemset2D(p, 4, 0, 8, 2));
  greedy<<<1, 1024>>>(p);
  say("too many registers", cudaGetLastError());
  say("no arguments", cudaLaunchKernel(kernel, dim3(1), dim3(32), nullptr, 0, nullptr));
  cudaStreamAttrValue value;
  say("an attribute of a stream", cudaStreamGetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value));
  cudaKernel_t handle;
  say("the handle of something that is not a kernel", cudaGetKernel(&handle, no_kernel));
  say("occupancy of empty blocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel, 0, 0));
  say("occupancy of something that is not a kernel",
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, no_kernel, 32, 0));
  say("memory of 99 blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 99, 1024));
  void *rows;
  say("rows without a pitch", cudaMallocPitch(&rows, nullptr, 4, 4));
  unsigned flags;
  say("flags of the stack", cudaHostGetFlags(&flags, &number));
  say("flags for nobody", cudaStreamGetFlags(nullptr, nullptr));
  cudaGetLastError();
  say("the device goes on", cudaDeviceSynchronize());
}

static void after_a_fault() {
  void *v = nullptr;
  cudaEvent_t event;
  cudaStream_t stream;
  say("after the launch", cudaGetLastError());
  say("cudaDeviceSynchronize", cudaDeviceSynchronize());
  say("cudaPeekAtLastError", cudaPeekAtLastError());
  say("cudaGetLastError", cudaGetLastError());
  say("cudaGetLastError again", cudaGetLastError());
  say("cudaDeviceSynchronize again", cudaDeviceSynchronize());
  say("cudaMalloc", cudaMalloc(&v, 4));
  say("cudaStreamCreate", cudaStreamCreate(&stream));
  say("cudaEventCreate", cudaEventCreate(&event));
  store<<<1, 1>>>(nullptr, 0);
  say("another launch", cudaGetLastError());
}

static int *some_memory() {
  int *p;
  CHECK(cudaMalloc(&p, 256));
  return p;
}

static void illegal_address() {
  store<<<1, 1>>>(nullptr, 0);
  after_a_fault();
}
static void misaligned() {
  odd_address<<<1, 1>>>(reinterpret_cast<char *>(some_memory()));
  after_a_fault();
}
static void assertion() {
  expects<<<1, 1>>>(1);
  after_a_fault();
}
static void trap() {
  traps<<<1, 1>>>();
  after_a_fault();
}
static void by_the_copy() {
  int value = 0, *p = some_memory();
  store<<<1, 1>>>(nullptr, 0);
  say("cudaMemcpy", cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  say("cudaFree", cudaFree(p));
}
static void time_limit() {  // not for a GPU, which would wait for ever
  int *p = some_memory();
  CHECK(cudaMemset(p, 0, 4));
  endless<<<1, 1>>>(p);
  after_a_fault();
}

int main(int argc, char **argv) {
  const Case cases[] = {{"launches", launches},
                        {"clusters", clusters},
                        {"memory", memory},
                        {"questions", questions},
                        {"illegal_address", illegal_address},
                        {"misaligned", misaligned},
                        {"assertion", assertion},
                        {"trap", trap},
                        {"by_the_copy", by_the_copy},
                        {"time_limit", time_limit}};
  return run_case(cases, argc, argv);
}
