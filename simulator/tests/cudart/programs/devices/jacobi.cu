// Jacobi's method on rows that are split over all devices, in the ways in which sample programs exchange the halo. The
// domain is periodic from the last row to the first.
// nvcc: -Xcompiler -fopenmp
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../check.hpp"

constexpr int width = 48, inner = 64, rounds = 6;  // of the domain: columns, and rows that are computed

static int count_devices() {
  int count;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 2);
  return count;
}

__global__ void set_sides(float *now, float *next, int first, int rows) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= rows) return;
  const float value = sinf(6.28318530718f * (first + y - 1) / inner);
  now[y * width] = now[y * width + width - 1] = value;
  next[y * width] = next[y * width + width - 1] = value;
}

/// Rows 1 to `rows` of `next`; the first and the last go to the neighbours, too, if there is a place.
__global__ void relax(float *next, const float *now, float *norm, int rows, float *above, float *below) {
  __shared__ float squares[256];
  const int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 16 + threadIdx.y + 1;
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float change = 0;
  if (x < width - 1 && y <= rows) {
    const int i = y * width + x;
    const float value = 0.25f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
    next[i] = value;
    if (above != nullptr && y == 1) above[x] = value;
    if (below != nullptr && y == rows) below[x] = value;
    change = value - now[i];
  }
  squares[thread] = change * change;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (thread < half) squares[thread] += squares[thread + half];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(norm, squares[0]);
}

/// What a device has: its rows, with one of each neighbour's around them.
struct Part {
  int first = 0, rows = 0;
  float *now = nullptr, *next = nullptr, *norm = nullptr, *norm_on_host = nullptr;
  cudaStream_t compute, up, down;
  cudaEvent_t computed, sent_up[2], sent_down[2];
  float *last_halo() const { return next + (rows + 1) * width; }
  dim3 grid() const { return dim3((width + 13) / 16, (rows + 15) / 16); }
};

static void make(Part &part, int device, int devices) {
  part.rows = inner / devices;
  part.first = device * part.rows + 1;
  CHECK(cudaSetDevice(device));
  CHECK(cudaFree(nullptr));
  const size_t bytes = (part.rows + 2) * width * sizeof(float);
  CHECK(cudaMalloc(&part.now, bytes));
  CHECK(cudaMalloc(&part.next, bytes));
  CHECK(cudaMalloc(&part.norm, sizeof(float)));
  CHECK(cudaMallocHost(&part.norm_on_host, sizeof(float)));
  CHECK(cudaMemset(part.now, 0, bytes));
  CHECK(cudaMemset(part.next, 0, bytes));
  set_sides<<<1, 128>>>(part.now, part.next, part.first - 1, part.rows + 2);
  CHECK(cudaDeviceSynchronize());
  for (cudaStream_t *const one : {&part.compute, &part.up, &part.down}) CHECK(cudaStreamCreate(one));
  for (cudaEvent_t *const one :
       {&part.computed, &part.sent_up[0], &part.sent_up[1], &part.sent_down[0], &part.sent_down[1]})
    CHECK(cudaEventCreateWithFlags(one, cudaEventDisableTiming));
}

/// The last norm, and all rows.
struct Result {
  float norm = 0;
  std::vector<float> rows = std::vector<float>(inner * width);
};

static void collect(Result &to, const Part &part) {
  CHECK(cudaMemcpy(&to.rows[(part.first - 1) * width], part.now + width, part.rows * width * sizeof(float),
                   cudaMemcpyDeviceToHost));
}

static Result on_one_device() {
  Part all;
  Result result;
  make(all, 0, 1);
  for (int round = 0; round < rounds; ++round) {
    CHECK(cudaMemset(all.norm, 0, sizeof(float)));
    relax<<<all.grid(), dim3(16, 16)>>>(all.next, all.now, all.norm, all.rows, all.last_halo(), all.next);
    CHECK(cudaMemcpy(&result.norm, all.norm, sizeof(float), cudaMemcpyDeviceToHost));
    std::swap(all.now, all.next);
  }
  collect(result, all);
  return result;
}

static void expect_as_on_one_device(const Result &result) {
  const Result want = on_one_device();
  EXPECT(std::fabs(result.norm - want.norm) <= 1e-4f * want.norm);
  for (int i = 0; i < inner * width; ++i)
    if (i % width != 0 && i % width != width - 1) EXPECT(result.rows[i] == want.rows[i]);
}

static void enable(int device, int neighbour) {
  const cudaError_t error = cudaDeviceEnablePeerAccess(neighbour, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled)
    (void)cudaGetLastError();
  else
    CHECK(error);
}

/// A round of a device, with the halo as copies in streams of their own, or as stores of the kernel.
static void do_round(std::vector<Part> &parts, int device, int round, bool stores) {
  const int devices = static_cast<int>(parts.size());
  Part &mine = parts[device];
  Part &above = parts[(device + devices - 1) % devices], &below = parts[(device + 1) % devices];
  const int now = round % 2, next = 1 - now;
  CHECK(cudaMemsetAsync(mine.norm, 0, sizeof(float), mine.compute));
  CHECK(cudaStreamWaitEvent(mine.compute, below.sent_up[now], 0));
  CHECK(cudaStreamWaitEvent(mine.compute, above.sent_down[now], 0));
  relax<<<mine.grid(), dim3(16, 16), 0, mine.compute>>>(mine.next, mine.now, mine.norm, mine.rows,
                                                        stores ? above.last_halo() : nullptr,
                                                        stores ? below.next : nullptr);
  CHECK(cudaGetLastError());
  if (stores) {
    CHECK(cudaEventRecord(mine.sent_up[next], mine.compute));
    CHECK(cudaEventRecord(mine.sent_down[next], mine.compute));
  } else {
    CHECK(cudaEventRecord(mine.computed, mine.compute));
    CHECK(cudaStreamWaitEvent(mine.up, mine.computed, 0));
    CHECK(cudaMemcpyAsync(above.last_halo(), mine.next + width, width * sizeof(float),
                          cudaMemcpyDeviceToDevice, mine.up));
    CHECK(cudaEventRecord(mine.sent_up[next], mine.up));
    CHECK(cudaStreamWaitEvent(mine.down, mine.computed, 0));
    CHECK(cudaMemcpyAsync(below.next, mine.next + mine.rows * width, width * sizeof(float),
                          cudaMemcpyDeviceToDevice, mine.down));
    CHECK(cudaEventRecord(mine.sent_down[next], mine.down));
  }
  CHECK(cudaMemcpyAsync(mine.norm_on_host, mine.norm, sizeof(float), cudaMemcpyDeviceToHost, mine.compute));
}

static void in_one_thread() {
  const int devices = count_devices();
  std::vector<Part> parts(devices);
  Result result;
  for (int d = 0; d < devices; ++d) make(parts[d], d, devices);
  for (int round = 0; round < rounds; ++round) {
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      do_round(parts, d, round, false);
    }
    result.norm = 0;
    for (Part &part : parts) {
      CHECK(cudaStreamSynchronize(part.compute));
      result.norm += *part.norm_on_host;
      std::swap(part.now, part.next);
    }
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
    collect(result, parts[d]);
  }
  expect_as_on_one_device(result);
}

static void in_threads(bool stores) {
  const int devices = count_devices();
  std::vector<Part> parts(devices);
  Result result;
#pragma omp parallel num_threads(devices)
  {
    const int d = omp_get_thread_num();
    Part &mine = parts[d];
    make(mine, d, devices);
    if (stores) {
      enable(d, (d + 1) % devices);
      enable(d, (d + devices - 1) % devices);
    }
#pragma omp barrier
    for (int round = 0; round < rounds; ++round) {
#pragma omp single
      result.norm = 0;
      do_round(parts, d, round, stores);
      CHECK(cudaStreamSynchronize(mine.compute));
#pragma omp atomic
      result.norm += *mine.norm_on_host;
#pragma omp barrier
      std::swap(mine.now, mine.next);
#pragma omp barrier
    }
    CHECK(cudaDeviceSynchronize());
#pragma omp barrier
    collect(result, mine);
  }
  expect_as_on_one_device(result);
}
static void in_threads_with_copies() {
  in_threads(false);
}
static void in_threads_with_stores() {
  in_threads(true);
}

constexpr Case cases[] = {{"in_one_thread", in_one_thread},
                          {"in_threads_with_copies", in_threads_with_copies},
                          {"in_threads_with_stores", in_threads_with_stores}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
