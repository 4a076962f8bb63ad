// What well-known sample programs for several GPUs do, in our own words. Each runs on two devices or more.
// nvcc: -g -lcuda
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.hpp"

namespace cg = cooperative_groups;

static int count_devices() {
  int count;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 2);
  return count;
}
static void enable_peers(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int other = 0; other < devices; ++other) {
      int can = 0;
      if (other != d) CHECK(cudaDeviceCanAccessPeer(&can, d, other));
      if (!can) continue;
      const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();
      else
        CHECK(error);
    }
  }
}
static void wait_for_all(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
}
template <class T>
static T *memory_of(int device, int count) {
  T *p;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  return p;
}

// Two devices: copies to and fro, and kernels that read the other's memory.
__global__ void twice(const float *from, float *to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 2 * from[i];
}
static void peer_to_peer() {
  constexpr int n = 1 << 12;
  float *host, *first = memory_of<float>(0, n), *second = memory_of<float>(1, n), milliseconds;
  enable_peers(2);
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = i % 512;
  cudaEvent_t begin, end;
  CHECK(cudaSetDevice(1));
  CHECK(cudaEventCreateWithFlags(&begin, cudaEventBlockingSync));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  CHECK(cudaMemcpy(first, host, n * sizeof(float), cudaMemcpyDefault));
  CHECK(cudaEventRecord(begin, 0));
  for (int i = 0; i < 10; ++i)
    CHECK(cudaMemcpy(i % 2 == 0 ? second : first, i % 2 == 0 ? first : second, n * sizeof(float),
                     cudaMemcpyDefault));  // HERE copy
  CHECK(cudaEventRecord(end, 0));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  twice<<<n / 512, 512>>>(first, second);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  twice<<<n / 512, 512>>>(second, first);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, first, n * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == 4 * (i % 512));
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceDisablePeerAccess(1 - d));
    CHECK(cudaFree(d == 0 ? first : second));
  }
  CHECK(cudaFreeHost(host));
}

// Each device adds up its part, with a stream of its own; the host adds the partial sums.
__global__ void add_up(float *sums, const float *from, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = thread; i < n; i += gridDim.x * blockDim.x) sum += from[i];
  sums[thread] = sum;
}
static void sums_of_parts() {
  constexpr int n = 10001, blocks = 4, threads = 64;
  const int devices = count_devices();
  struct Part {
    int count;
    float *host, *sums_on_host, *values, *sums;
    cudaStream_t stream;
  };
  std::vector<Part> parts(devices);
  for (int d = 0; d < devices; ++d) {
    Part &part = parts[d];
    part.count = n / devices + (d < n % devices);
    part.values = memory_of<float>(d, part.count);
    part.sums = memory_of<float>(d, blocks * threads);
    CHECK(cudaStreamCreate(&part.stream));
    CHECK(cudaMallocHost(&part.host, part.count * sizeof(float)));
    CHECK(cudaMallocHost(&part.sums_on_host, blocks * threads * sizeof(float)));
    std::fill_n(part.host, part.count, 0.5f);
  }
  for (int d = 0; d < devices; ++d) {
    const Part &part = parts[d];
    CHECK(cudaSetDevice(d));
    CHECK(cudaMemcpyAsync(part.values, part.host, part.count * sizeof(float), cudaMemcpyHostToDevice,
                          part.stream));
    add_up<<<blocks, threads, 0, part.stream>>>(part.sums, part.values, part.count);
    CHECK(cudaMemcpyAsync(part.sums_on_host, part.sums, blocks * threads * sizeof(float),
                          cudaMemcpyDeviceToHost, part.stream));
  }
  double sum = 0;
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamSynchronize(parts[d].stream));
    for (int i = 0; i < blocks * threads; ++i) sum += parts[d].sums_on_host[i];
  }
  EXPECT(sum == n * 0.5);
}

// The bandwidth of each pair, one way and both ways. A kernel holds the stream back until all copies are queued.
__global__ void hold(const volatile int *go, long long most) {
  const long long begin = clock64();
  while (*go == 0 && clock64() - begin < most) {
  }
}
static void bandwidths() {
  constexpr int n = 4096;
  const int devices = count_devices();
  std::vector<int *> from(devices), to(devices);
  std::vector<cudaStream_t> streams(devices), others(devices);
  std::vector<cudaEvent_t> begin(devices), end(devices);
  int *go;
  CHECK(cudaHostAlloc(&go, sizeof(int), cudaHostAllocPortable));
  for (int d = 0; d < devices; ++d) {
    from[d] = memory_of<int>(d, n);
    to[d] = memory_of<int>(d, n);
    CHECK(cudaMemset(from[d], d, n * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&others[d], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin[d]));
    CHECK(cudaEventCreate(&end[d]));
  }
  wait_for_all(devices);
  for (const bool both_ways : {false, true})
    for (int i = 0; i < devices; ++i)
      for (int j = 0; j < devices; ++j) {
        if (both_ways && i == j) continue;
        CHECK(cudaSetDevice(i));
        *go = 0;
        hold<<<1, 1, 0, streams[i]>>>(go, 10000);
        CHECK(cudaEventRecord(begin[i], streams[i]));
        for (int repeat = 0; repeat < 2; ++repeat)
          CHECK(cudaMemcpyPeerAsync(to[i], i, from[j], j, n * sizeof(int), streams[i]));
        if (both_ways) {
          CHECK(cudaStreamWaitEvent(others[j], begin[i], 0));
          CHECK(cudaMemcpyPeerAsync(to[j], j, from[i], i, n * sizeof(int), others[j]));
          CHECK(cudaEventRecord(end[j], others[j]));
          CHECK(cudaStreamWaitEvent(streams[i], end[j], 0));
        }
        CHECK(cudaEventRecord(end[i], streams[i]));
        *go = 1;
        CHECK(cudaStreamSynchronize(streams[i]));
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, begin[i], end[i]));
        int seen;
        CHECK(cudaMemcpy(&seen, to[i], sizeof(int), cudaMemcpyDefault));
        EXPECT((seen & 255) == j);
      }
}

// A transpose whose rows are split: each device fetches its tile of every other one, and turns them.
__global__ void turn(float *to, const float *from, int rows, int columns) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * columns + x];
  __syncthreads();
  const int row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
  for (int j = 0; j < 32; j += 8)
    if (column < rows && row + j < columns)
      to[(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}
static void transpose() {
  constexpr int n = 96;
  const int devices = count_devices(), rows = n / devices;
  std::vector<float> matrix(n * n), turned(n * n);
  for (int i = 0; i < n * n; ++i) matrix[i] = i;
  CHECK(cudaHostRegister(matrix.data(), n * n * sizeof(float), cudaHostRegisterPortable));
  std::vector<float *> mine(devices), fetched(devices), result(devices);
  std::vector<cudaStream_t> streams(devices);
  std::vector<cudaEvent_t> there(devices);
  for (int d = 0; d < devices; ++d) {
    mine[d] = memory_of<float>(d, rows * n);
    fetched[d] = memory_of<float>(d, rows * n);
    result[d] = memory_of<float>(d, rows * n);
    CHECK(cudaStreamCreate(&streams[d]));
    CHECK(cudaEventCreateWithFlags(&there[d], cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(mine[d], &matrix[d * rows * n], rows * n * sizeof(float), cudaMemcpyHostToDevice,
                          streams[d]));
    CHECK(cudaEventRecord(there[d], streams[d]));
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int other = 0; other < devices; ++other) {
      CHECK(cudaStreamWaitEvent(streams[d], there[other], 0));
      float *const tile = fetched[d] + other * rows * rows;
      if (other % 2 == 0) {
        CHECK(cudaMemcpy2DAsync(tile, rows * sizeof(float), mine[other] + d * rows, n * sizeof(float),
                                rows * sizeof(float), rows, cudaMemcpyDefault, streams[d]));
      } else {
        cudaMemcpy3DPeerParms p = {};
        p.srcDevice = other;
        p.srcPtr = make_cudaPitchedPtr(mine[other], n * sizeof(float), n * sizeof(float), rows);
        p.srcPos = make_cudaPos(d * rows * sizeof(float), 0, 0);
        p.dstDevice = d;
        p.dstPtr = make_cudaPitchedPtr(tile, rows * sizeof(float), rows * sizeof(float), rows);
        p.extent = make_cudaExtent(rows * sizeof(float), rows, 1);
        CHECK(cudaMemcpy3DPeerAsync(&p, streams[d]));
      }
    }
    turn<<<dim3((rows + 31) / 32, (n + 31) / 32), dim3(32, 8), 0, streams[d]>>>(result[d], fetched[d], n,
                                                                                rows);
  }
  for (int d = 0; d < devices; ++d)
    CHECK(cudaMemcpyAsync(&turned[d * rows * n], result[d], rows * n * sizeof(float), cudaMemcpyDeviceToHost,
                          streams[d]));
  wait_for_all(devices);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT(turned[i * n + j] == matrix[j * n + i]);
  CHECK(cudaHostUnregister(matrix.data()));
}

// Managed memory, of which each device has a part, with advice and prefetches.
__device__ __managed__ int hits;
__global__ void scale_and_count(float *values, const float *factors, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factors[i];
  if (threadIdx.x == 0) atomicAdd_system(&hits, 1);
}
static void managed_parts() {
  const int devices = count_devices(), part = 1024, n = part * devices;
  float *values, *factors;
  CHECK(cudaMallocManaged(&values, n * sizeof(float)));
  CHECK(cudaMallocManaged(&factors, n * sizeof(float)));
  for (int i = 0; i < n; ++i) values[i] = 2, factors[i] = i % 10;
  std::vector<cudaStream_t> streams(devices);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreate(&streams[d]));
    float *const mine = values + d * part, *const its = factors + d * part;
#if CUDART_VERSION >= 13000
    const cudaMemLocation here = {cudaMemLocationTypeDevice, d}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(its, part * sizeof(float), cudaMemAdviseSetReadMostly, here));
    CHECK(cudaMemAdvise(mine, part * sizeof(float), cudaMemAdviseSetPreferredLocation, here));
    CHECK(cudaMemAdvise(mine, part * sizeof(float), cudaMemAdviseSetAccessedBy, host));
    CHECK(cudaMemPrefetchAsync(mine, part * sizeof(float), here, 0, streams[d]));
    CHECK(cudaMemPrefetchAsync(its, part * sizeof(float), here, 0, streams[d]));
#else
    CHECK(cudaMemAdvise(its, part * sizeof(float), cudaMemAdviseSetReadMostly, d));
    CHECK(cudaMemAdvise(mine, part * sizeof(float), cudaMemAdviseSetPreferredLocation, d));
    CHECK(cudaMemPrefetchAsync(mine, part * sizeof(float), d, streams[d]));
#endif
    scale_and_count<<<part / 128, 128, 0, streams[d]>>>(mine, its, part);
  }
  wait_for_all(devices);
  for (int i = 0; i < n; ++i) EXPECT(values[i] == 2 * (i % 10));
  EXPECT(hits == devices * part / 128);
}

// Chunks pass all devices in turn, each with two buffers and two streams.
__global__ void stage(float *values, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = 2 * values[i] + by;
}
static void pipeline() {
  constexpr int n = 512, chunks = 6;
  const int devices = count_devices();
  float *host;
  CHECK(cudaHostAlloc(&host, n * chunks * sizeof(float), cudaHostAllocPortable));
  for (int i = 0; i < n * chunks; ++i) host[i] = i % 100;
  struct Slot {
    float *values;
    cudaEvent_t here, done, free;
  };
  std::vector<cudaStream_t> copies(devices), kernels(devices);
  std::vector<Slot> slots(2 * devices);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreateWithFlags(&copies[d], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&kernels[d], cudaStreamNonBlocking));
    for (int k = 0; k < 2; ++k) {
      Slot &slot = slots[2 * d + k];
      CHECK(cudaMallocAsync(&slot.values, n * sizeof(float), copies[d]));
      for (cudaEvent_t *const one : {&slot.here, &slot.done, &slot.free})
        CHECK(cudaEventCreateWithFlags(one, cudaEventDisableTiming));
    }
  }
  for (int c = 0; c < chunks; ++c)
    for (int d = 0; d < devices; ++d) {
      const Slot &slot = slots[2 * d + c % 2];
      CHECK(cudaSetDevice(d));
      CHECK(cudaStreamWaitEvent(copies[d], slot.free, 0));
      if (d == 0) {
        CHECK(
            cudaMemcpyAsync(slot.values, host + c * n, n * sizeof(float), cudaMemcpyHostToDevice, copies[d]));
      } else {
        const Slot &before = slots[2 * (d - 1) + c % 2];
        CHECK(cudaStreamWaitEvent(copies[d], before.done, 0));
        CHECK(cudaMemcpyPeerAsync(slot.values, d, before.values, d - 1, n * sizeof(float), copies[d]));
      }
      CHECK(cudaEventRecord(slot.here, copies[d]));
      if (d > 0) {  // the device before may use its buffer again
        CHECK(cudaSetDevice(d - 1));
        CHECK(cudaStreamWaitEvent(copies[d - 1], slot.here, 0));
        CHECK(cudaEventRecord(slots[2 * (d - 1) + c % 2].free, copies[d - 1]));
        CHECK(cudaSetDevice(d));
      }
      CHECK(cudaStreamWaitEvent(kernels[d], slot.here, 0));
      stage<<<n / 128, 128, 0, kernels[d]>>>(slot.values, n, d);
      CHECK(cudaEventRecord(slot.done, kernels[d]));
      if (d == devices - 1) {
        CHECK(cudaMemcpyAsync(host + c * n, slot.values, n * sizeof(float), cudaMemcpyDeviceToHost,
                              kernels[d]));
        CHECK(cudaEventRecord(slot.free, kernels[d]));
      }
    }
  wait_for_all(devices);
  for (int i = 0; i < n * chunks; ++i) {
    float want = i % 100;
    for (int d = 0; d < devices; ++d) want = 2 * want + d;
    EXPECT(host[i] == want);
  }
}

// A pool whose memory another device may use.
__global__ void count_up(int *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i;
}
__global__ void fetch(int *to, const int *from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
static void pool_of_a_peer() {
  constexpr int n = 1000;
  cudaMemPool_t pool;
  cudaStream_t first, second;
  cudaEvent_t filled, fetched;
  int *values, *copy;
  std::vector<int> host(n);
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaEventCreate(&filled));
  CHECK(cudaMallocAsync(&values, n * sizeof(int), first));
  count_up<<<8, 128, 0, first>>>(values, n);
  CHECK(cudaEventRecord(filled, first));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&second));
  CHECK(cudaEventCreate(&fetched));
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 1;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaMallocAsync(&copy, n * sizeof(int), second));
  CHECK(cudaStreamWaitEvent(second, filled, 0));
  fetch<<<8, 128, 0, second>>>(copy, values, n);
  CHECK(cudaEventRecord(fetched, second));
  CHECK(cudaMemcpyAsync(host.data(), copy, n * sizeof(int), cudaMemcpyDeviceToHost, second));
  CHECK(cudaFreeAsync(copy, second));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(first, fetched, 0));
  CHECK(cudaFreeAsync(values, first));
  CHECK(cudaStreamSynchronize(first));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i);
}

// A cooperative kernel on each device, and one sum of all in managed memory.
__global__ void dot(const float *a, double *sum, int n) {
  const cg::grid_group grid = cg::this_grid();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  double mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += double(a[i]) * a[i];
  mine = cg::reduce(warp, mine, cg::plus<double>());
  if (warp.thread_rank() == 0) atomicAdd_system(sum, mine);
  grid.sync();
}
static void cooperative_sums() {
  int n = 2048;
  const int devices = count_devices();
  double *sum, want = 0;
  CHECK(cudaMallocManaged(&sum, sizeof(double)));
  *sum = 0;
  std::vector<float *> values(devices);
  for (int d = 0; d < devices; ++d) {
    values[d] = memory_of<float>(d, n);
    const std::vector<float> host(n, d + 1);
    CHECK(cudaMemcpy(values[d], host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    want += double(n) * (d + 1) * (d + 1);
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    int blocks, supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, d));
    EXPECT(supported);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dot, 128, 0));
    void *arguments[] = {&values[d], &sum, &n};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(dot), std::min(blocks, 4), 128, arguments));
  }
  wait_for_all(devices);
  EXPECT(*sum == want);
}

// A piece of work for each thread of the host; a function that the stream runs says that it is done.
constexpr int load = 500;  // elements
struct Workload {
  int *host, *values, number;
  cudaStream_t stream;
  bool right;
};
static std::mutex mutex;
static std::condition_variable all_done;
static int missing;
__global__ void increment(int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}
static void workloads() {
  const int devices = count_devices(), count = 2 * devices;
  std::vector<Workload> all(count);
  std::vector<std::thread> threads;
  missing = count;
  for (int w = 0; w < count; ++w)
    threads.emplace_back([&, w] {
      Workload &mine = all[w];
      mine.number = w;
      mine.values = memory_of<int>(w % devices, load);
      CHECK(cudaStreamCreate(&mine.stream));
      CHECK(cudaHostAlloc(&mine.host, load * sizeof(int), cudaHostAllocPortable));
      for (int i = 0; i < load; ++i) mine.host[i] = w + i;
      CHECK(cudaMemcpyAsync(mine.values, mine.host, load * sizeof(int), cudaMemcpyHostToDevice, mine.stream));
      increment<<<4, 128, 0, mine.stream>>>(mine.values, load);
      CHECK(cudaMemcpyAsync(mine.host, mine.values, load * sizeof(int), cudaMemcpyDeviceToHost, mine.stream));
      CHECK(cudaLaunchHostFunc(
          mine.stream,
          [](void *p) {
            Workload &it = *static_cast<Workload *>(p);
            it.right = true;
            for (int i = 0; i < load; ++i) it.right = it.right && it.host[i] == it.number + i + 1;
            const std::lock_guard<std::mutex> lock(mutex);
            if (--missing == 0) all_done.notify_all();
          },
          &mine));
    });
  for (std::thread &one : threads) one.join();
  std::unique_lock<std::mutex> lock(mutex);
  all_done.wait(lock, [] { return missing == 0; });
  for (const Workload &one : all) EXPECT(one.right);
}

// One range of addresses over memory of all devices, which copies and kernels cross.
#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)
static void stripes() {
  const int devices = count_devices();
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(nullptr));
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t stripe;
  DRIVER(cuMemGetAllocationGranularity(&stripe, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr begin;
  DRIVER(cuMemAddressReserve(&begin, stripe * devices, 0, 0, 0));
  std::vector<CUmemAccessDesc> access(devices);
  for (int d = 0; d < devices; ++d) {
    CUmemGenericAllocationHandle memory;
    properties.location.id = d;
    DRIVER(cuMemCreate(&memory, stripe, &properties, 0));
    DRIVER(cuMemMap(begin + d * stripe, stripe, 0, memory, 0));
    DRIVER(cuMemRelease(memory));
    access[d].location = properties.location;
    access[d].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  DRIVER(cuMemSetAccess(begin, stripe * devices, access.data(), devices));
  float *const values = reinterpret_cast<float *>(begin);
  const int n = stripe / sizeof(float), across = 1024;
  CHECK(cudaMemset(values, 0, stripe * devices));
  std::vector<float> host(2 * across, 3);
  CHECK(cudaMemcpy(values + n - across, host.data(), 2 * across * sizeof(float), cudaMemcpyHostToDevice));
  stage<<<2 * across / 128, 128>>>(values + n - across, 2 * across, 1);
  CHECK(cudaMemcpy(host.data(), values + n - across, 2 * across * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float one : host) EXPECT(one == 7);
  DRIVER(cuMemUnmap(begin, stripe * devices));
  DRIVER(cuMemAddressFree(begin, stripe * devices));
}

constexpr Case cases[] = {{"peer_to_peer", peer_to_peer},     {"sums_of_parts", sums_of_parts},
                          {"bandwidths", bandwidths},         {"transpose", transpose},
                          {"managed_parts", managed_parts},   {"pipeline", pipeline},
                          {"pool_of_a_peer", pool_of_a_peer}, {"cooperative_sums", cooperative_sums},
                          {"workloads", workloads},           {"stripes", stripes}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
