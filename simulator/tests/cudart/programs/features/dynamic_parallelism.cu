// nvcc: -rdc=true -lcudadevrt
// Kernels that start kernels: recursion, streams and events of the device, copies and fills, tail launches.
#include <cstdio>

#include "../check.hpp"

__global__ void sort(int *a, int low, int high) {
  if (high - low < 8) {
    for (int i = low; i <= high; ++i)
      for (int j = i; j > low && a[j - 1] > a[j]; --j) {
        const int t = a[j];
        a[j] = a[j - 1], a[j - 1] = t;
      }
    return;
  }
  const int pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      const int t = a[i];
      a[i++] = a[j], a[j--] = t;
    }
  }
  if (low < j) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(a, low, j);
    cudaStreamDestroy(stream);
  }
  if (i < high) sort<<<1, 1, 0, cudaStreamFireAndForget>>>(a, i, high);
}

__global__ void count_descents(const int *a, int n, int *descents) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n && a[i] > a[i + 1]) atomicAdd(descents, 1);
}

__global__ void sort_and_count(int *a, int n, int *descents) {
  count_descents<<<(n + 127) / 128, 128, 0, cudaStreamTailLaunch>>>(a, n, descents);
  sort<<<1, 1>>>(a, 0, n - 1);
}

struct Table {
  int values[40];
  int *out;
};

__global__ void reverse(Table table, char add) {
  extern __shared__ int s[];
  s[threadIdx.x] = table.values[threadIdx.x];
  __syncthreads();
  table.out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + add;
}

template <class Function>
__global__ void apply(Function function) {
  function(threadIdx.x);
}

__global__ void say(int number) {
  printf("child %d\n", number);
}
__device__ void (*pointer)(int) = say;

__global__ void start_all(int *a, int *b, int *c, int n) {
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaMemsetAsync(a, 0, n * sizeof(int), stream);
  apply<<<1, n, 0, stream>>>([=](int i) { a[i] += 3 * i; });
  cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(0, event, 0);
  Table table;
  for (int i = 0; i < 40; ++i) table.values[i] = i;
  table.out = c;
  reverse<<<2, 40, 160>>>(table, 1);
  int *memory = nullptr, device = -1;
  if (cudaMalloc(&memory, sizeof(int)) == cudaSuccess && cudaGetDevice(&device) == cudaSuccess) {
    *memory = device + 5;
    c[80] = *memory;
    cudaFree(memory);
  }
  pointer<<<1, 1>>>(7);
  c[81] = cudaPeekAtLastError();
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

int main() {
  constexpr int n = 1000;
  int *a, *b, *c, *descents;
  CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  CHECK(cudaMallocManaged(&b, n * sizeof(int)));
  CHECK(cudaMallocManaged(&c, 82 * sizeof(int)));
  CHECK(cudaMallocManaged(&descents, sizeof(int)));
  for (int i = 0; i < n; ++i) a[i] = i * 7919 % 1009;
  *descents = 0;
  sort_and_count<<<1, 1>>>(a, n, descents);
  CHECK(cudaDeviceSynchronize());
  printf("%d %d %d: %d descents\n", a[0], a[1], a[n - 1], *descents);
  start_all<<<1, 1>>>(a, b, c, 300);
  CHECK(cudaDeviceSynchronize());
  printf("%d %d %d %d %d\n", b[1], b[299], c[0], c[79], c[80]);
  printf("%s\n", cudaGetErrorName(static_cast<cudaError_t>(c[81])));
  for (int *p : {a, b, c, descents}) CHECK(cudaFree(p));
}
