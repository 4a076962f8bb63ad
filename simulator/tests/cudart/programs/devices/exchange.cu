// Devices that exchange data: each case "right_..." orders what it does, and its namesake forgets one thing.
// nvcc: -Xcompiler -fopenmp
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.hpp"

constexpr int n = 1000, threads = 128, blocks = (n + threads - 1) / threads;

__global__ void fill(float *to, float value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;  // HERE fill
}
__global__ void add(float *to, const float *from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i];  // HERE add
}
__global__ void smooth(float *to, const float *from, int count) {  // from[0] and from[count + 1] are the halo
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i <= count) to[i] = from[i - 1] + from[i] + from[i + 1];  // HERE smooth
}
__global__ void sum(float *to, const float *const *parts, int count, int devices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float all = 0;
  for (int d = 0; d < devices; ++d) all += parts[d][i];  // HERE sum
  to[i] = all;
}
__global__ void put(float *there, const float *here, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) there[i] = 2 * here[i];  // HERE put
}

static int count_devices() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 2);
  return count;
}
static void enable_all(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int other = 0; other < devices; ++other)
      if (other != d) CHECK(cudaDeviceEnablePeerAccess(other, 0));
  }
  CHECK(cudaSetDevice(0));
}
static float *floats_on(int device, int count) {
  float *p;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&p, count * sizeof(float)));
  return p;
}
static void expect(const float *p, int count, float value) {
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), p, count * sizeof(float), cudaMemcpyDefault));
  for (const float x : host) EXPECT(x == value);
}
static void wait_for_all(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
}

static void peer_load(bool ordered) {
  enable_all(2);
  float *a = floats_on(0, n), *b = floats_on(1, n);
  cudaEvent_t ready;
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventCreate(&ready));
  fill<<<blocks, threads>>>(a, 1, n);
  CHECK(cudaEventRecord(ready));
  CHECK(cudaSetDevice(1));
  fill<<<blocks, threads>>>(b, 2, n);
  if (ordered) CHECK(cudaStreamWaitEvent(0, ready, 0));
  add<<<blocks, threads>>>(b, a, n);
  wait_for_all(2);
  expect(b, n, 3);
}

static void peer_store(bool ordered) {
  enable_all(2);
  float *a = floats_on(0, n), *b = floats_on(1, n);
  CHECK(cudaSetDevice(0));
  fill<<<blocks, threads>>>(a, 3, n);
  put<<<blocks, threads>>>(b, a, n);
  if (ordered) CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  add<<<blocks, threads>>>(b, b, n);
  wait_for_all(2);
  expect(b, n, 12);
}

static void host_waits(bool for_the_right_one) {
  enable_all(2);
  float *a = floats_on(0, n), *b = floats_on(1, n);
  CHECK(cudaSetDevice(0));
  fill<<<blocks, threads>>>(a, 1, n);
  CHECK(cudaSetDevice(1));
  fill<<<blocks, threads>>>(b, 2, n);
  CHECK(cudaSetDevice(for_the_right_one ? 0 : 1));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  add<<<blocks, threads>>>(b, a, n);
  wait_for_all(2);
  expect(b, n, 3);
}

static void copy(bool ordered) {  // no access is needed for copies
  float *a = floats_on(0, n), *b = floats_on(1, n);
  cudaStream_t s0, s1;
  cudaEvent_t ready, copied;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&s0));
  CHECK(cudaEventCreate(&ready));
  fill<<<blocks, threads, 0, s0>>>(a, 5, n);
  CHECK(cudaEventRecord(ready, s0));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&s1));
  CHECK(cudaEventCreate(&copied));
  if (ordered) CHECK(cudaStreamWaitEvent(s1, ready, 0));
  CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, n * sizeof(float), s1));
  CHECK(cudaEventRecord(copied, s1));
  add<<<blocks, threads, 0, s1>>>(b, b, n);
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(s0, copied, 0));
  fill<<<blocks, threads, 0, s0>>>(a, 0, n);
  wait_for_all(2);
  expect(b, n, 10);
}

static void copy_in_default_stream(bool in_default) {  // which waits for both devices
  float *a = floats_on(0, n), *b = floats_on(1, n);
  cudaStream_t s0, s1, mine;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreateWithFlags(&s0, cudaStreamNonBlocking));
  fill<<<blocks, threads, 0, s0>>>(a, 5, n);
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
  CHECK(cudaStreamCreate(&mine));
  if (in_default)
    CHECK(cudaMemcpyPeer(b, 1, a, 0, n * sizeof(float)));
  else
    CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, n * sizeof(float), mine));
  add<<<blocks, threads, 0, s1>>>(b, b, n);
  CHECK(cudaSetDevice(0));
  fill<<<blocks, threads, 0, s0>>>(a, 0, n);
  wait_for_all(2);
  expect(b, n, 10);
}

/// Every device has `n` elements and one of each neighbour's.
static void halo(bool ordered) {
  const int devices = count_devices(), steps = 3;
  std::vector<float *> now(devices), next(devices);
  std::vector<cudaStream_t> streams(devices);
  std::vector<cudaEvent_t> sent(devices), computed(devices);
  for (int d = 0; d < devices; ++d) {
    now[d] = floats_on(d, n + 2);
    next[d] = floats_on(d, n + 2);
    CHECK(cudaStreamCreate(&streams[d]));
    CHECK(cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&computed[d], cudaEventDisableTiming));
    CHECK(cudaMemsetAsync(next[d], 0, (n + 2) * sizeof(float), streams[d]));
    CHECK(cudaMemsetAsync(now[d], 0, (n + 2) * sizeof(float), streams[d]));
    fill<<<blocks, threads, 0, streams[d]>>>(now[d] + 1, 1, n);
    CHECK(cudaEventRecord(computed[d], streams[d]));
  }
  for (int step = 0; step < steps; ++step) {
    for (int d = 0; d < devices; ++d) {  // each device sends its ends to its neighbours
      CHECK(cudaSetDevice(d));
      for (const int other : {d - 1, d + 1}) {
        if (other < 0 || other >= devices) continue;
        CHECK(cudaStreamWaitEvent(streams[d], computed[other], 0));
        CHECK(cudaMemcpyPeerAsync(now[other] + (other < d ? n + 1 : 0), other, now[d] + (other < d ? 1 : n),
                                  d, sizeof(float), streams[d]));
      }
      CHECK(cudaEventRecord(sent[d], streams[d]));
    }
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      for (const int other : {d - 1, d + 1})
        if (other >= 0 && other < devices && (ordered || other < d))
          CHECK(cudaStreamWaitEvent(streams[d], sent[other], 0));
      smooth<<<blocks, threads, 0, streams[d]>>>(next[d], now[d], n);
      CHECK(cudaEventRecord(computed[d], streams[d]));
      std::swap(now[d], next[d]);
    }
  }
  wait_for_all(devices);
  std::vector<float> host(n + 2);
  CHECK(cudaMemcpy(host.data(), now[1], host.size() * sizeof(float), cudaMemcpyDefault));
  EXPECT(host[1] == 27);  // the first element of the second device: all its neighbours are ones
}

/// All devices get the sum: parts go round the ring, first added up, then handed on.
static void ring(bool ordered) {
  const int devices = count_devices(), count = 999;  // which the ring does not divide
  std::vector<float *> data(devices), received(devices);
  std::vector<cudaStream_t> streams(devices);
  std::vector<cudaEvent_t> arrived(devices), used(devices);
  const auto begin = [&](int part) { return count * part / devices; };
  const auto size = [&](int part) { return begin(part + 1) - begin(part); };
  for (int d = 0; d < devices; ++d) {
    data[d] = floats_on(d, count);
    received[d] = floats_on(d, count);
    CHECK(cudaStreamCreate(&streams[d]));
    CHECK(cudaEventCreateWithFlags(&arrived[d], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used[d], cudaEventDisableTiming));
    fill<<<blocks, threads, 0, streams[d]>>>(data[d], d + 1, count);
    CHECK(cudaEventRecord(used[d], streams[d]));
  }
  for (int step = 0; step < 2 * devices - 2; ++step) {
    const bool adds = step < devices - 1;
    for (int d = 0; d < devices; ++d) {
      const int to = (d + 1) % devices, part = (d - step + 2 * devices) % devices;
      CHECK(cudaSetDevice(d));
      CHECK(cudaStreamWaitEvent(streams[d], used[to], 0));  // it may still add what came before
      float *const there = adds ? received[to] : data[to];
      CHECK(cudaMemcpyPeerAsync(there + begin(part), to, data[d] + begin(part), d, size(part) * sizeof(float),
                                streams[d]));
      CHECK(cudaEventRecord(arrived[d], streams[d]));
    }
    for (int d = 0; d < devices; ++d) {
      const int from = (d - 1 + devices) % devices, part = (from - step + 2 * devices) % devices;
      CHECK(cudaSetDevice(d));
      if (ordered || d != 0) CHECK(cudaStreamWaitEvent(streams[d], arrived[from], 0));
      if (adds)
        add<<<blocks, threads, 0, streams[d]>>>(data[d] + begin(part), received[d] + begin(part), size(part));
      CHECK(cudaEventRecord(used[d], streams[d]));
    }
  }
  wait_for_all(devices);
  for (int d = 0; d < devices; ++d) expect(data[d], count, devices * (devices + 1) / 2.f);
}

/// One device adds up what all have, reading it where it is.
static void reduction(bool ordered) {
  const int devices = count_devices();
  enable_all(devices);
  std::vector<float *> parts(devices);
  float **list, *all;
  for (int d = 0; d < devices; ++d) {
    parts[d] = floats_on(d, n);
    fill<<<blocks, threads>>>(parts[d], d + 1, n);
    if (ordered || d != 1) CHECK(cudaDeviceSynchronize());
  }
  all = floats_on(0, n);
  CHECK(cudaMalloc(&list, devices * sizeof(float *)));
  CHECK(cudaMemcpy(list, parts.data(), devices * sizeof(float *), cudaMemcpyHostToDevice));
  sum<<<blocks, threads>>>(all, list, n, devices);
  wait_for_all(devices);
  expect(all, n, devices * (devices + 1) / 2.f);
}

struct Barrier {
  std::mutex mutex;
  std::condition_variable all_there;
  int missing, round = 0, count;
  explicit Barrier(int all) : missing(all), count(all) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    const int mine = round;
    if (--missing == 0) {
      missing = count;
      ++round;
      all_there.notify_all();
    } else {
      all_there.wait(lock, [&] { return round != mine; });
    }
  }
};

/// One host thread for each device; each adds its right neighbour's part.
static void threads_of_the_host(bool ordered) {
  const int devices = count_devices();
  enable_all(devices);
  std::vector<float *> parts(devices), sums(devices);
  Barrier barrier(devices);
  const auto work = [&](int d) {
    parts[d] = floats_on(d, n);
    sums[d] = floats_on(d, n);
    fill<<<blocks, threads>>>(parts[d], d + 1, n);
    fill<<<blocks, threads>>>(sums[d], 0, n);
    if (ordered) CHECK(cudaDeviceSynchronize());
    barrier.wait();
    add<<<blocks, threads>>>(sums[d], parts[(d + 1) % devices], n);
    CHECK(cudaGetLastError());
    barrier.wait();
    CHECK(cudaDeviceSynchronize());
  };
  std::vector<std::thread> all;
  for (int d = 0; d < devices; ++d) all.emplace_back(work, d);
  for (std::thread &one : all) one.join();
  for (int d = 0; d < devices; ++d) expect(sums[d], n, (d + 1) % devices + 1);
}

static void openmp(bool ordered) {
  const int devices = count_devices();
  enable_all(devices);
  std::vector<float *> parts(devices), sums(devices);
#pragma omp parallel for num_threads(devices) schedule(static, 1)
  for (int d = 0; d < devices; ++d) {
    parts[d] = floats_on(d, n);
    sums[d] = floats_on(d, n);
    fill<<<blocks, threads>>>(parts[d], d + 1, n);
    fill<<<blocks, threads>>>(sums[d], 0, n);
    if (ordered) CHECK(cudaDeviceSynchronize());
  }
#pragma omp parallel for num_threads(devices) schedule(static, 1)
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    add<<<blocks, threads>>>(sums[d], parts[(d + 1) % devices], n);
  }
  wait_for_all(devices);
  for (int d = 0; d < devices; ++d) expect(sums[d], n, (d + 1) % devices + 1);
}

static void managed(bool ordered) {
  float *p;
  CHECK(cudaMallocManaged(&p, n * sizeof(float)));
  fill<<<blocks, threads>>>(p, 1, n);
  if (ordered) CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  add<<<blocks, threads>>>(p, p, n);
  wait_for_all(2);
  for (int i = 0; i < n; ++i) EXPECT(p[i] == 2);
}

static void event_of_the_other(bool after_the_kernel) {
  enable_all(2);
  float *a = floats_on(0, n), *b = floats_on(1, n);
  cudaEvent_t ready;
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventCreate(&ready));
  if (!after_the_kernel) CHECK(cudaEventRecord(ready));
  fill<<<blocks, threads>>>(a, 1, n);
  if (after_the_kernel) CHECK(cudaEventRecord(ready));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(0, ready, 0));
  put<<<blocks, threads>>>(b, a, n);
  wait_for_all(2);
  expect(b, n, 2);
}

/// A graph that was captured from streams of both devices.
static void graph(bool joined_before) {
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  float *a = floats_on(0, n), *b = floats_on(1, n);
  cudaStream_t s0, s1;
  cudaEvent_t forked, ended;
  cudaGraph_t captured;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&s1));
  CHECK(cudaEventCreate(&ended));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&s0));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaStreamBeginCapture(s0, cudaStreamCaptureModeGlobal));
  fill<<<blocks, threads, 0, s0>>>(a, 1, n);
  CHECK(cudaEventRecord(forked, s0));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(s1, forked, 0));
  CHECK(cudaMemsetAsync(b, 0, n * sizeof(float), s1));
  add<<<blocks, threads, 0, s1>>>(b, a, n);
  CHECK(cudaEventRecord(ended, s1));
  CHECK(cudaSetDevice(0));
  if (joined_before) CHECK(cudaStreamWaitEvent(s0, ended, 0));
  fill<<<blocks, threads, 0, s0>>>(a, 5, n);
  if (!joined_before) CHECK(cudaStreamWaitEvent(s0, ended, 0));
  CHECK(cudaStreamEndCapture(s0, &captured));
  CHECK(cudaGraphInstantiate(&executable, captured, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, s0));
  CHECK(cudaStreamSynchronize(s0));
  if (joined_before) expect(b, n, 1);
}

#define TWINS(name)                       \
  {"right_" #name, [] { name(true); }}, { \
#name, [] { name(false); }            \
  }
constexpr Case cases[] = {TWINS(peer_load),
                          TWINS(peer_store),
                          TWINS(host_waits),
                          TWINS(copy),
                          TWINS(copy_in_default_stream),
                          TWINS(halo),
                          TWINS(ring),
                          TWINS(reduction),
                          TWINS(threads_of_the_host),
                          TWINS(openmp),
                          TWINS(managed),
                          TWINS(event_of_the_other),
                          TWINS(graph)};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
