// Right programs that look wrong to those who do not look closely, one a case; and wrong ones that look
// right: a comment `HERE name` marks the line that the report must name.
#include <cuda_fp16.h>
#include <mma.h>

#include <cuda/atomic>
#include <vector>

#include "check.hpp"

template <class T>
T *zeroed(std::size_t count) {
  T *p;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}
template <class T>
std::vector<T> back(const T *p, std::size_t count) {
  std::vector<T> host(count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

__global__ void say_the_same(int *found) {
  __shared__ int any;
  any = 0;
  __syncthreads();
  if (threadIdx.x > 3) any = 1;
  __syncthreads();
  if (threadIdx.x == 0) *found = any;
}
static void same_value() {
  int *found = zeroed<int>(1);
  say_the_same<<<1, 256>>>(found);
  EXPECT(back(found, 1)[0] == 1);
}

template <bool fences>
__global__ void add_under_lock(int *to) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) != 0) continue;
    if (fences) __threadfence_block();
    sum += 1;  // HERE lock_without_fence
    if (fences) __threadfence_block();
    atomicExch(&lock, 0);
    done = true;
  }
  __syncthreads();
  if (threadIdx.x == 0) *to = sum;
}
template <bool fences>
static void shared_lock() {
  int *sum = zeroed<int>(1);
  add_under_lock<fences><<<1, 96>>>(sum);
  EXPECT(back(sum, 1)[0] == 96);
}

template <bool fences>
__global__ void pass_on(int *to) {
  __shared__ volatile int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 42;
    if (fences) __threadfence_block();
    flag = 1;  // HERE flag_without_fence
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    if (fences) __threadfence_block();
    *to = data;
  }
}
template <bool fences>
static void shared_flag() {
  int *to = zeroed<int>(1);
  pass_on<fences><<<1, 64>>>(to);
  EXPECT(back(to, 1)[0] == 42);
}

__global__ void pass_on_by_atomic(int *to) {
  __shared__ int data;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 5;
    flag.store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    *to = data;
  }
}
static void atomic_flag() {
  int *to = zeroed<int>(1);
  pass_on_by_atomic<<<1, 64>>>(to);
  EXPECT(back(to, 1)[0] == 5);
}

// A fence elsewhere in the kernel does not make up for a barrier.
__device__ unsigned finished;
__global__ void sum_with_fence(int *to) {
  __shared__ volatile int part[64];
  part[threadIdx.x] = 1;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2)
    if (threadIdx.x < half * 2 && threadIdx.x >= half)
      part[threadIdx.x - half] = part[threadIdx.x - half] + part[threadIdx.x];  // HERE fence_elsewhere
  if (threadIdx.x == 0) {
    *to = part[0];
    __threadfence();
    atomicInc(&finished, gridDim.x);
  }
}
static void fence_elsewhere() {
  sum_with_fence<<<1, 64>>>(zeroed<int>(1));
  CHECK(cudaDeviceSynchronize());
}

struct Padded {  // 3 bytes of padding behind the letter
  char letter;
  int number;
  double value;
};
__global__ void by_member(Padded *to) {
  __shared__ Padded all[32];
  const int t = threadIdx.x;
  all[t].letter = 'a', all[t].number = t, all[t].value = 2;
  __syncthreads();
  to[t].letter = all[31 - t].letter, to[t].number = all[31 - t].number, to[t].value = all[31 - t].value;
}
__global__ void whole(Padded *to, const Padded *from) {
  __shared__ Padded all[32];
  all[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = all[31 - threadIdx.x];
}
static void padding() {
  Padded *a, *b;
  CHECK(cudaMalloc(&a, 32 * sizeof(Padded)));
  CHECK(cudaMalloc(&b, 32 * sizeof(Padded)));
  by_member<<<1, 32>>>(a);
  whole<<<1, 32>>>(b, a);
  EXPECT(back(b, 32)[31].number == 31);
  EXPECT(back(a, 1)[0].value == 2);
}

__global__ void members_then_whole(Padded *to) {
  __shared__ Padded all[32];
  const int t = threadIdx.x;
  all[t].letter = 'a', all[t].number = t, all[t].value = 2;
  __syncthreads();
  to[t] = all[31 - t];
}
static void copied_padding() {
  Padded *a, *b;
  CHECK(cudaMalloc(&a, 32 * sizeof(Padded)));
  CHECK(cudaMalloc(&b, 32 * sizeof(Padded)));
  by_member<<<1, 32>>>(a);
  whole<<<1, 32>>>(b, a);
  EXPECT(back(b, 32)[31].number == 31);
  members_then_whole<<<1, 32>>>(a);
  EXPECT(back(a, 1)[0].number == 31);
}

struct Wide {  // 7 bytes of padding behind the letter and 6 at the end: whole words of them
  char letter;
  double value;
  short number;
};
__global__ void wide_by_member(Wide *to) {
  const int t = threadIdx.x;
  to[t].letter = 'a', to[t].value = 2, to[t].number = t;
}
__global__ void wide_whole(Wide *to, const Wide *from, double *sums) {
  __shared__ Wide all[32];
  const int t = threadIdx.x;
  all[t] = from[t];
  __syncthreads();
  to[t] = all[31 - t];
  sums[t] = all[t].value + all[t].number;
}
__global__ void wide_by_bytes(Wide *to, const Wide *from) {
  memcpy(&to[threadIdx.x], &from[threadIdx.x], sizeof(Wide));
}
static void wide_padding() {
  Wide *a, *b, *c;
  double *sums;
  CHECK(cudaMalloc(&a, 32 * sizeof(Wide)));
  CHECK(cudaMalloc(&b, 32 * sizeof(Wide)));
  CHECK(cudaMalloc(&c, 32 * sizeof(Wide)));
  CHECK(cudaMalloc(&sums, 32 * sizeof(double)));
  wide_by_member<<<1, 32>>>(a);
  wide_whole<<<1, 32>>>(b, a, sums);
  wide_by_bytes<<<1, 32>>>(c, b);
  EXPECT(back(sums, 32)[7] == 9);
  EXPECT(back(c, 32)[31].number == 0);
}

// Three bytes of each word are written. What is read of the word, and what becomes of it, makes the
// difference.
__global__ void three_bytes(unsigned char *to) {
  for (int i = 0; i < 3; ++i) to[4 * threadIdx.x + i] = 1;
}
__global__ void use_three_bytes(const unsigned *from, unsigned *to) {
  to[threadIdx.x] = (from[threadIdx.x] & 0xFFFFFF) + 1;
}
__global__ void add_to_word(const unsigned *from, unsigned *to) {
  to[threadIdx.x] = from[threadIdx.x] + 1;  // HERE missing_byte_added
}
__global__ void ask_word(const unsigned *from, unsigned *to) {
  to[threadIdx.x] = 0;
  if (from[threadIdx.x] > 5) atomicAdd(to, 1);  // HERE missing_byte_asked
}
__global__ void index_by_word(const unsigned *from, unsigned *to) {
  to[from[threadIdx.x] >> 27] = 1;  // HERE missing_byte_index
}
__global__ void add_to_shared_word(const unsigned *, unsigned *to) {
  __shared__ unsigned words[32];
  for (int i = 0; i < 3; ++i) reinterpret_cast<unsigned char *>(words)[4 * threadIdx.x + i] = 1;
  __syncthreads();
  to[threadIdx.x] = words[31 - threadIdx.x] + 1;  // HERE missing_byte_shared
}
template <auto kernel>
static void missing_byte() {
  unsigned char *bytes;
  CHECK(cudaMalloc(&bytes, 128));
  three_bytes<<<1, 32>>>(bytes);
  kernel<<<1, 32>>>(reinterpret_cast<unsigned *>(bytes), zeroed<unsigned>(32));
  CHECK(cudaDeviceSynchronize());
}

// Names that are not mangled, although they look like names of types.
__device__ int d[4];
__device__ float f;
__global__ void past_short_names(int n) {
  (n ? d : reinterpret_cast<int *>(&f))[n ? 4 : 1] = n;  // HERE short_names
}
template <int n>
static void short_name() {
  past_short_names<<<1, 1>>>(n);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}
__global__ void far_aligned(unsigned *to) {
  __shared__ __align__(8192) unsigned words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = words[31 - threadIdx.x] + static_cast<unsigned>(__cvta_generic_to_shared(words) % 8192);
}
static void alignment() {
  unsigned *to = zeroed<unsigned>(32);
  far_aligned<<<1, 32>>>(to);
  EXPECT(back(to, 32)[0] == 31);
}

__global__ void all_but_one(float *to, int n) {
  if (threadIdx.x + 1 < n) to[threadIdx.x] = 1;
}
static void last_element() {
  float *to;
  CHECK(cudaMalloc(&to, 16 * sizeof(float)));
  all_but_one<<<1, 32>>>(to, 16);
  back(to, 16);
}

template <bool fills, bool everybody>
__global__ void multiply_fragments(const half *from, float *to) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  if (fills) fill_fragment(c, 0.0f);
  load_matrix_sync(a, from, 16);
  load_matrix_sync(b, from, 16);
  if (everybody || threadIdx.x < 16) mma_sync(c, a, b, c);  // HERE fragments
  store_matrix_sync(to, c, 16, mem_row_major);
}
template <bool fills, bool everybody>
static void fragments() {
  half *from = zeroed<half>(256);
  float *to = zeroed<float>(256);
  multiply_fragments<fills, everybody><<<1, 32>>>(from, to);
  EXPECT(back(to, 256)[17] == 0 || !fills);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"same_value", same_value},
                        {"shared_lock", shared_lock<true>},
                        {"lock_without_fence", shared_lock<false>},
                        {"shared_flag", shared_flag<true>},
                        {"flag_without_fence", shared_flag<false>},
                        {"atomic_flag", atomic_flag},
                        {"fence_elsewhere", fence_elsewhere},
                        {"padding", padding},
                        {"copied_padding", copied_padding},
                        {"wide_padding", wide_padding},
                        {"three_bytes_used", missing_byte<use_three_bytes>},
                        {"missing_byte_added", missing_byte<add_to_word>},
                        {"missing_byte_asked", missing_byte<ask_word>},
                        {"missing_byte_index", missing_byte<index_by_word>},
                        {"missing_byte_shared", missing_byte<add_to_shared_word>},
                        {"short_name_d", short_name<1>},
                        {"short_name_f", short_name<0>},
                        {"alignment", alignment},
                        {"last_element", last_element},
                        {"fragments", fragments<true, true>},
                        {"fragment_without_fill", fragments<false, true>},
                        {"fragment_in_a_branch", fragments<true, false>}};
  return run_case(cases, argc, argv);
}
