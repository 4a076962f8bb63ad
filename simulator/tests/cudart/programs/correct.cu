// Small right programs, one a case.
#include <cooperative_groups.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <thread>
#include <vector>

#include "check.hpp"

namespace cg = cooperative_groups;

__global__ void add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vector_add() {
  const int n = 1000;
  std::vector<float> a(n), b(n, 0.5f), c(n);
  std::iota(a.begin(), a.end(), 0.0f);
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, n * sizeof(float)));
  CHECK(cudaMalloc(&db, n * sizeof(float)));
  CHECK(cudaMalloc(&dc, n * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(c[i] == i + 0.5f);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
}

// The launch of CUDA 12's <<<>>>, and the two that people write themselves.
void launch_calls() {
  const int n = 64;
  float *p;
  CHECK(cudaMalloc(&p, 3 * n * sizeof(float)));
  CHECK(cudaMemset(p, 0, 3 * n * sizeof(float)));
  const float one = 1.0f;
  CHECK(cudaMemcpy(p, &one, sizeof one, cudaMemcpyDefault));
  const float *a = p, *b = p + n;
  float *c = p + 2 * n;
  int count = n;
  void *arguments[] = {&a, &b, &c, &count};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(add), dim3(1), dim3(n), arguments, 0, nullptr));
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(add), dim3(1), dim3(n), arguments, 0,
                                    nullptr));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(n / 2);
  CHECK(cudaLaunchKernelEx(&config, add, a, b, c, count));
  cudaKernel_t kernel;
  CHECK(cudaGetKernel(&kernel, reinterpret_cast<const void *>(add)));
  float result = 0;
  CHECK(cudaMemcpy(&result, c, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result == 1.0f);
  CHECK(cudaFree(p));
}

__global__ void block_sum(const int *from, int *to, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += from[i];
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(to, part[0]);
}

__global__ void warp_sum(const int *from, int *to, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += from[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) *to = sum;
}

__global__ void group_sum(const int *from, int *to) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  __shared__ int part[4];
  int value = from[block.thread_rank()];
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = value;
  block.sync();
  if (block.thread_rank() == 0) *to = part[0] + part[1] + part[2] + part[3];
}

void reductions() {
  const int n = 128;
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 1);  // 1 + ... + 128 = 8256
  int *from, *to, result[3];
  CHECK(cudaMalloc(&from, n * sizeof(int)));
  CHECK(cudaMalloc(&to, sizeof result));
  CHECK(cudaMemset(to, 0, sizeof result));
  CHECK(cudaMemcpy(from, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  block_sum<<<2, 256>>>(from, to, n);
  warp_sum<<<1, 32>>>(from, to + 1, n);
  group_sum<<<1, 128>>>(from, to + 2);
  CHECK(cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost));
  for (const int one : result) EXPECT(one == 8256);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

template <typename T, int Tile>
__global__ void transpose(const T *from, T *to, int width, int height) {
  __shared__ T tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[y * width + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  if (x < height && y < width) to[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

void transposition() {
  const int width = 37, height = 21;
  std::vector<double> a(width * height), b(width * height);
  std::iota(a.begin(), a.end(), 0.0);
  double *from, *to;
  CHECK(cudaMalloc(&from, a.size() * sizeof(double)));
  CHECK(cudaMalloc(&to, a.size() * sizeof(double)));
  CHECK(cudaMemcpy(from, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice));
  transpose<double, 16><<<dim3(3, 2), dim3(16, 16)>>>(from, to, width, height);
  CHECK(cudaMemcpy(b.data(), to, a.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(b[x * height + y] == a[y * width + x]);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

extern __shared__ unsigned bins[];
__global__ void histogram(const unsigned char *text, int n, unsigned *to) {
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[text[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&to[i], bins[i]);
}

void histogram_with_dynamic_shared() {
  const int n = 3000, shared = 100 * 1024;
  std::vector<unsigned char> text(n);
  for (int i = 0; i < n; ++i) text[i] = static_cast<unsigned char>(i % 100);
  unsigned char *from;
  unsigned *to, counts[256];
  CHECK(cudaMalloc(&from, n));
  CHECK(cudaMalloc(&to, sizeof counts));
  CHECK(cudaMemset(to, 0, sizeof counts));
  CHECK(cudaMemcpy(from, text.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  histogram<<<3, 128, shared>>>(from, n, to);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(counts, to, sizeof counts, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; ++i) EXPECT(counts[i] == (i < 100 ? 30u : 0u));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

__constant__ float weights[3];
__device__ float last_sum;
__device__ int table[4] = {3, 1, 4, 1};
__global__ void stencil(const float *from, float *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  to[i] = weights[0] * from[i - 1] + weights[1] * from[i] + weights[2] * from[i + 1] + table[i % 4];
  if (i == n - 2) last_sum = to[i];
}

void symbols() {
  const int n = 50;
  const float w[3] = {0.25f, 0.5f, 0.25f};
  std::vector<float> ones(n, 1.0f);
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  float *from, *to, *address, sum = 0, last = 0;
  int digits[4] = {};
  size_t bytes = 0;
  CHECK(cudaMalloc(&from, n * sizeof(float)));
  CHECK(cudaMalloc(&to, n * sizeof(float)));
  CHECK(cudaMemcpy(from, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  stencil<<<1, 64>>>(from, to, n);
  CHECK(cudaMemcpyFromSymbol(&sum, last_sum, sizeof sum));
  EXPECT(sum == 4.0f);  // the weights add up to 1, and table[48 % 4] is 3
  CHECK(cudaGetSymbolSize(&bytes, table));
  EXPECT(bytes == sizeof digits);
  CHECK(cudaMemcpyFromSymbol(digits, table, 2 * sizeof(int), sizeof(int)));
  EXPECT(digits[0] == 1 && digits[1] == 4);
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), last_sum));
  CHECK(cudaMemcpy(&last, address, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == sum);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

__managed__ int launches_seen = 5;
__global__ void increment(int *values, int n) {
  const int i = threadIdx.x;
  if (i < n) values[i] += 1;
  if (i == 0) launches_seen += 1;
}

void managed_and_pinned() {
  const int n = 20;
  int *managed, *pinned, *mapped, *plain = new int[n];
  CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
  CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
  CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterDefault));
  int *same = nullptr;
  CHECK(cudaHostGetDevicePointer(&same, mapped, 0));
  for (int i = 0; i < n; ++i) managed[i] = pinned[i] = mapped[i] = plain[i] = i;
  for (int *one : {managed, pinned, same, plain}) increment<<<1, 32>>>(one, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    EXPECT(managed[i] == i + 1 && pinned[i] == i + 1 && mapped[i] == i + 1 && plain[i] == i + 1);
  EXPECT(launches_seen == 9);
  launches_seen = 1;
  increment<<<1, 32>>>(managed, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(launches_seen == 2 && managed[7] == 9);
  CHECK(cudaHostUnregister(plain));
  CHECK(cudaFreeHost(mapped));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(managed));
  delete[] plain;
}

void mark(void *data) {
  *static_cast<int *>(data) += 1;
}
void mark_stream(cudaStream_t, cudaError_t status, void *data) {
  *static_cast<int *>(data) += status == cudaSuccess ? 10 : 0;
}

void streams_and_events() {
  const int n = 256;
  cudaStream_t streams[2];
  cudaEvent_t start, stop, plain;
  float *p, milliseconds = -1;
  int marks = 0;
  CHECK(cudaStreamCreate(&streams[0]));
  CHECK(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  CHECK(cudaMallocAsync(&p, n * sizeof(float), streams[0]));
  CHECK(cudaMemsetAsync(p, 0, n * sizeof(float), streams[0]));
  CHECK(cudaEventRecord(start, streams[0]));
  add<<<1, n, 0, streams[0]>>>(p, p, p, n);
  CHECK(cudaEventRecord(stop, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[1], stop, 0));
  CHECK(cudaLaunchHostFunc(streams[1], mark, &marks));
  CHECK(cudaStreamAddCallback(streams[1], mark_stream, &marks, 0));
  CHECK(cudaStreamSynchronize(streams[1]));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaStreamQuery(streams[0]));
  CHECK(cudaEventQuery(stop));
  EXPECT(marks == 11);
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds > 0);
  CHECK(cudaEventRecord(plain));
  EXPECT(cudaEventElapsedTime(&milliseconds, start, plain) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK(cudaFreeAsync(p, streams[0]));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaEventDestroy(plain));
  CHECK(cudaStreamDestroy(streams[0]));
  CHECK(cudaStreamDestroy(streams[1]));
}

__global__ void double_volume(cudaPitchedPtr p, int width, int height, int depth) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x >= width || y >= height || z >= depth) return;
  char *row = static_cast<char *>(p.ptr) + (z * p.ysize + y) * p.pitch;
  reinterpret_cast<int *>(row)[x] *= 2;
}

void two_and_three_dimensions() {
  const int width = 5, height = 4, depth = 3;
  std::vector<int> a(width * height * depth), b(a.size());
  std::iota(a.begin(), a.end(), 1);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(width * sizeof(int), height, depth)));
  EXPECT(box.pitch >= width * sizeof(int) && box.pitch % 32 == 0);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(a.data(), width * sizeof(int), width, height);
  copy.dstPtr = box;
  copy.extent = make_cudaExtent(width * sizeof(int), height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  double_volume<<<1, dim3(8, 4, 4)>>>(box, width, height, depth);
  std::swap(copy.srcPtr, copy.dstPtr);
  copy.dstPtr = make_cudaPitchedPtr(b.data(), width * sizeof(int), width, height);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (size_t i = 0; i < a.size(); ++i) EXPECT(b[i] == 2 * a[i]);

  int *rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(int), height));
  CHECK(cudaMemset2D(rows, pitch, 0, width * sizeof(int), height));
  CHECK(cudaMemcpy2D(rows, pitch, a.data(), width * sizeof(int), 2 * sizeof(int), height,
                     cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(b.data(), width * sizeof(int), rows, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i) EXPECT(b[i] == (i % width < 2 ? a[i] : 0));
  CHECK(cudaFree(rows));
  CHECK(cudaFree(box.ptr));
}

__global__ void greet(int n) {
  if (threadIdx.x < n) printf("thread %d of %s: %.1f\n", threadIdx.x, "block", 0.5 * threadIdx.x);
  assert(n < 10);
}

void printing() {
  std::printf("before\n");
  greet<<<1, 32>>>(2);
  std::printf("between\n");
  CHECK(cudaDeviceSynchronize());
  std::printf("after\n");
}

using Operation = int (*)(int, int);
__device__ int plus(int a, int b) {
  return a + b;
}
__device__ int times(int a, int b) {
  return a * b;
}
__device__ Operation chosen = times;
__global__ void apply(Operation f, int *to) {
  to[0] = f(6, 7);
  to[1] = (to[0] > 0 ? plus : times)(6, 7);
}

void function_pointers() {
  int *to, result[2];
  Operation f;
  CHECK(cudaMalloc(&to, sizeof result));
  CHECK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
  apply<<<1, 1>>>(f, to);
  CHECK(cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result[0] == 42 && result[1] == 13);
  CHECK(cudaFree(to));
}

__global__ void __launch_bounds__(256) bounded(float *p) {
  p[threadIdx.x] = 0;
}

void device_questions() {
  cudaDeviceProp p;
  int count = 0, blocks = 0, grid = 0, block = 0, value = 0;
  size_t available = 0, total = 0, after = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.warpSize == 32 && p.major == 9 && p.multiProcessorCount > 0 && p.maxThreadsPerBlock == 1024);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(value == static_cast<int>(p.sharedMemPerBlockOptin) && value == 227 * 1024);
  EXPECT(cudaGetDeviceProperties(&p, 1) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemGetInfo(&available, &total));
  EXPECT(available == total);
  void *memory;
  CHECK(cudaMalloc(&memory, 1 << 20));
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(available - after == 1 << 20);

  // 2048 threads of a multiprocessor hold 8 blocks of 256 when registers and shared memory allow.
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
  EXPECT(blocks == 8);
  // (100 + 1) KiB of 228 for each block: two fit.
  CHECK(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 100 * 1024));
  EXPECT(blocks == 2);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  EXPECT(block == 256 && grid == 8 * p.multiProcessorCount);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxThreadsPerBlock == 256 && attributes.numRegs > 0 && attributes.numRegs < 256);

  cudaPointerAttributes where;
  CHECK(cudaPointerGetAttributes(&where, memory));
  EXPECT(where.type == cudaMemoryTypeDevice && where.devicePointer == memory && where.hostPointer == nullptr);
  CHECK(cudaPointerGetAttributes(&where, &count));
  EXPECT(where.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(memory));
}

void work() {
  const int n = 100;
  float *p, host[n];
  CHECK(cudaMalloc(&p, sizeof host));
  CHECK(cudaMemset(p, 0, sizeof host));
  for (int i = 0; i < 10; ++i) add<<<1, 128>>>(p, p, p, n);
  CHECK(cudaGetLastError());
  EXPECT(cudaMemcpyToSymbol(host, host, 1) == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);  // each thread has its own
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (const float one : host) EXPECT(one == 0.0f);
  CHECK(cudaFree(p));
}
void many_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread &one : threads) one.join();
  CHECK(cudaGetLastError());
}

void reset() {
  int *p, value = 0;
  CHECK(cudaMalloc(&p, 100));
  CHECK(cudaMemcpyToSymbol(table, &value, sizeof value));
  CHECK(cudaDeviceReset());
  CHECK(cudaMemcpyFromSymbol(&value, table, sizeof value));
  EXPECT(value == 3);  // the initial value again
}

int main(int argc, char **argv) {
  const Case cases[] = {
      {"vector_add", vector_add},
      {"launch_calls", launch_calls},
      {"reductions", reductions},
      {"transposition", transposition},
      {"histogram", histogram_with_dynamic_shared},
      {"symbols", symbols},
      {"managed_and_pinned", managed_and_pinned},
      {"streams_and_events", streams_and_events},
      {"two_and_three_dimensions", two_and_three_dimensions},
      {"printing", printing},
      {"function_pointers", function_pointers},
      {"device_questions", device_questions},
      {"many_threads", many_threads},
      {"reset", reset},
  };
  return run_case(cases, argc, argv);
}
