// Device code for the tests of gpu/: one small kernel per thing that a student's kernel may do.
#include <cassert>
#include <cstdio>

extern "C" {

__device__ int calls;
__constant__ float factor[2] = {1.0f, 0.0f};

__global__ void sgemm_naive(int m, int n, int k, float alpha, const float *A, const float *B, float beta,
                            float *C) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

// Sizes that are multiples of 32 only.
__global__ void sgemm_tile(int m, int n, int k, float alpha, const float *A, const float *B, float beta,
                           float *C) {
  __shared__ float a[32][32], b[32][32];
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 32) {
    a[threadIdx.y][threadIdx.x] = A[row * k + start + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(start + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

// One float, `bytes` from p: inside, in a guard zone, far away, misaligned.
__global__ void store_at(char *p, long long bytes) {
  *reinterpret_cast<float *>(p + bytes) = 1.0f;
}

// What lies `bytes` from p, into *to.
__global__ void load_at(const char *p, long long bytes, float *to) {
  *to = *reinterpret_cast<const float *>(p + bytes);
}

__global__ void fill(float *to, int count, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;
}

__global__ void add(float *to, const float *from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i];
}

__global__ void trap_now() {
  __trap();
}

__global__ void assert_now(int one) {
  assert(one == 2);
}

__global__ void spin_forever(volatile float *p) {
  while (*p >= 0.0f) {
  }
}

// What a neighbour does: nothing, for a while.
__global__ void busy(long long clocks) {
  const long long end = clock64() + clocks;
  while (clock64() < end) {
  }
}

__global__ void uses_shared(float *to) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = 2.0f * threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

__global__ void count_calls(float *to) {
  *to = static_cast<float>(++calls);
}

__global__ void scale(float *to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = to[i] * factor[0] + factor[1];
}

__global__ void chatter(int number) {
  printf("thread %d says %d\n", threadIdx.x, number);
}

// Goes from element to element: each holds the index of the next. One thread, so that the time is latency.
__global__ void chase(const float *from, int steps, float *to) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = static_cast<int>(from[at]);
  *to = static_cast<float>(at);
}

// Asks the L2 cache, in every way there is, to keep the lines of `from` longer than any others.
__global__ void keep(const float *from, int count, float *to) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float value;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(from + i), "l"(policy));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(from + i));
    sum += value;
  }
  if (sum == 0.5f) *to = sum;  // never: the elements are whole numbers
}

}  // extern "C"
