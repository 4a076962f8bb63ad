// A host that reads or writes memory while a kernel or copy may still use it, one case each. The names of the
// cases that are right begin with "right".
#include "check.hpp"

constexpr int n = 4096, bytes = n * sizeof(int);

__global__ void fill(int *to, int value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void copy(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void sum(int *to) {
  atomicAdd(to, 1);
}
__global__ void tell(int *answer, int *told) {
  answer[threadIdx.x] = 42;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) *told = 1;
}
__managed__ int counted;
__global__ void count() {
  counted = 1;
}

static int *managed(int count = n) {
  int *p;
  CHECK(cudaMallocManaged(&p, count * sizeof(int)));
  for (int i = 0; i < count; ++i) p[i] = 0;
  return p;
}
static int *pinned() {
  int *p;
  CHECK(cudaMallocHost(&p, bytes));
  std::memset(p, 0, bytes);
  return p;
}
static int *device() {
  int *p;
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMemset(p, 0, bytes));
  return p;
}
/// Keeps the compiler from leaving a read out.
static int read(const int *p) {
  return *static_cast<const volatile int *>(p);
}

static void read_too_early() {
  int *p = managed();
  fill<<<n / 256, 256>>>(p, 1);
  std::printf("%d\n", read(p));
}
static void one_word_read_too_early() {
  int *p = managed(1);
  fill<<<1, 1>>>(p, 1);
  std::printf("%d\n", read(p));
  CHECK(cudaDeviceSynchronize());
}
static void written_too_early() {
  int *from = managed(), *to = device();
  copy<<<n / 256, 256>>>(to, from);
  from[7] = 1;
  CHECK(cudaDeviceSynchronize());
}
static void variable_read_too_early() {
  count<<<1, 1>>>();
  std::printf("%d\n", read(&counted));
  CHECK(cudaDeviceSynchronize());
}
static void copy_not_awaited() {
  int *from = device(), *to = pinned();
  CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost));
  std::printf("%d\n", read(to + 5));
  CHECK(cudaDeviceSynchronize());
}
static void source_written_too_early() {
  int *from = pinned(), *to = device();
  CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice));
  from[0] = 1;
  CHECK(cudaDeviceSynchronize());
}
static void another_stream_awaited() {
  int *p = managed();
  cudaStream_t a, b;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  fill<<<n / 256, 256, 0, a>>>(p, 1);
  CHECK(cudaStreamSynchronize(b));
  std::printf("%d\n", read(p));
}

static void right_wait() {
  int *p = managed(), *q = pinned();
  fill<<<n / 256, 256>>>(p, 1);
  CHECK(cudaMemcpyAsync(q, p, bytes, cudaMemcpyDefault));
  CHECK(cudaDeviceSynchronize());
  EXPECT(read(p) == 1 && read(q + n - 1) == 1);
  q[0] = p[0] = 2;
  copy<<<n / 256, 256>>>(q, p);
  copy<<<n / 256, 256>>>(p, q);
  CHECK(cudaStreamSynchronize(0));
  EXPECT(read(q) == 2);
}
static void right_event() {
  int *p = managed();
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  fill<<<n / 256, 256>>>(p, 1);
  CHECK(cudaEventRecord(event));
  CHECK(cudaEventSynchronize(event));
  EXPECT(read(p) == 1);
}
static void right_copy_waits() {  // cudaMemcpy comes after the kernel and waits
  int *p = managed(), one = 0;
  fill<<<n / 256, 256>>>(p, 1);
  CHECK(cudaMemcpy(&one, p, sizeof one, cudaMemcpyDeviceToHost));
  EXPECT(one == 1 && read(p) == 1);
}
static void right_other_memory() {
  int *p = managed(), *q = managed();
  fill<<<n / 256, 256>>>(p, 1);
  q[0] = 3;
  EXPECT(read(q) == 3);
  CHECK(cudaDeviceSynchronize());
}
static void right_other_half() {  // also of one page
  int *p = managed();
  fill<<<1, 128>>>(p, 1);
  fill<<<4, 256>>>(p + 2048, 1);
  p[128] = 3;
  p[2047] = 3;
  p[4095] = 3;
  EXPECT(read(p + 128) == 3);
  CHECK(cudaDeviceSynchronize());
  EXPECT(read(p) == 1 && read(p + 2048) == 1);
}
static void right_both_read() {
  int *from = managed(), *to = device();
  copy<<<n / 256, 256>>>(to, from);
  EXPECT(read(from) == 0);
  CHECK(cudaDeviceSynchronize());
}
static void right_polling() {  // the kernel's fence and flag tell the host
  int *p = managed(n), *told = managed(1);
  tell<<<1, 256>>>(p, told);
  while (read(told) == 0) {
  }
  EXPECT(read(p) == 42);
  CHECK(cudaDeviceSynchronize());
}
static void right_polling_beside_streams() {
  cudaStream_t a, b;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  right_polling();
}
static void right_counter() {  // the host may watch an atomic counter grow
  int *p = managed(1);
  sum<<<1, 32>>>(p);
  while (read(p) < 32) {
  }
  CHECK(cudaDeviceSynchronize());
}
static void CUDART_CB look(void *p) {
  EXPECT(read(static_cast<int *>(p)) == 1);
}
static void right_callback() {
  int *p = managed();
  fill<<<n / 256, 256>>>(p, 1);
  CHECK(cudaLaunchHostFunc(nullptr, look, p));
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
#define CASE(name) \
  { #name, name }
  const Case cases[] = {CASE(read_too_early),
                        CASE(one_word_read_too_early),
                        CASE(written_too_early),
                        CASE(variable_read_too_early),
                        CASE(copy_not_awaited),
                        CASE(source_written_too_early),
                        CASE(another_stream_awaited),
                        CASE(right_wait),
                        CASE(right_event),
                        CASE(right_copy_waits),
                        CASE(right_other_memory),
                        CASE(right_other_half),
                        CASE(right_both_read),
                        CASE(right_polling),
                        CASE(right_polling_beside_streams),
                        CASE(right_counter),
                        CASE(right_callback)};
  return run_case(cases, argc, argv);
}
