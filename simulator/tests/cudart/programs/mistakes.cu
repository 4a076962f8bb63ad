// Wrong programs, one a case. A comment `HERE name` marks the line that the report must name.
#include <cooperative_groups.h>

#include <csignal>
#include <vector>

#include "check.hpp"

__global__ void past_the_end(float *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = 1.0f;  // HERE out_of_bounds
}
static void out_of_bounds() {
  float *p;
  CHECK(cudaMalloc(&p, 100 * sizeof(float)));
  past_the_end<<<4, 32>>>(p, 100);
  cudaDeviceSynchronize();
  cudaFree(p);
}

__global__ void neighbours(int *to) {
  __shared__ int cell[64];
  cell[threadIdx.x] = threadIdx.x;           // HERE race_write
  to[threadIdx.x] = cell[63 - threadIdx.x];  // HERE race_read
}
static void race() {
  int *to;
  CHECK(cudaMalloc(&to, 64 * sizeof(int)));
  for (int i = 0; i < 3; ++i) neighbours<<<1, 64>>>(to);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(to));
}

__global__ void half_of_the_block(volatile int *p) {
  if (threadIdx.x < 32)
    __syncthreads();  // HERE barrier
  else
    p[0] = 1;
  p[threadIdx.x] = 2;
  if (threadIdx.x >= 32) __syncthreads();
}
static void barrier() {
  int *p;
  CHECK(cudaMalloc(&p, 256));
  half_of_the_block<<<1, 64>>>(p);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

__global__ void copy(const int *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x];  // HERE access
}
static void uninitialized() {
  int *from, *to;
  CHECK(cudaMalloc(&from, 32 * sizeof(int)));
  CHECK(cudaMalloc(&to, 32 * sizeof(int)));
  copy<<<1, 32>>>(from, to);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}

__global__ void half_of_it(int *to) {
  if (threadIdx.x < 16) to[threadIdx.x] = 1;
}
static void partial_result() {
  int *to, host[32];
  CHECK(cudaMalloc(&to, sizeof host));
  half_of_it<<<1, 32>>>(to);
  CHECK(cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(to));
}

static void host_pointer() {
  std::vector<int> from(32);
  int *to;
  CHECK(cudaMalloc(&to, 32 * sizeof(int)));
  copy<<<1, 32>>>(from.data(), to);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void use_after_free() {
  int *from, *to;
  CHECK(cudaMalloc(&from, 32 * sizeof(int)));
  CHECK(cudaMalloc(&to, 32 * sizeof(int)));
  CHECK(cudaMemset(from, 0, 32 * sizeof(int)));
  CHECK(cudaFree(from));
  copy<<<1, 32>>>(from, to);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void copies() {
  int *p, host[16] = {};
  CHECK(cudaMalloc(&p, sizeof host));
  cudaMemcpy(p, host, sizeof host + 8, cudaMemcpyHostToDevice);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(p));
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(p);
  cudaFree(host);
  cudaFree(p + 1);
}

static void follows_a_device_pointer() {
  int *p;
  CHECK(cudaMalloc(&p, 64));
  std::printf("about to read\n");
  std::fflush(stdout);
  std::printf("%d\n", p[3]);
}

static void managed_after_free() {
  int *p;
  CHECK(cudaMallocManaged(&p, 64));
  p[0] = 1;
  CHECK(cudaFree(p));
  p[1] = 2;
}

static void bad_launch() {
  copy<<<1, 2000>>>(nullptr, nullptr);
}

static void bad_launches() {
  copy<<<0, 32>>>(nullptr, nullptr);
  for (int threads = 1100; threads < 1103; ++threads) copy<<<1, threads>>>(nullptr, nullptr);
}

static void leak() {
  int *p;
  CHECK(cudaMalloc(&p, 64));
  CHECK(cudaMalloc(&p, 100));
}

__global__ void prints() {
  printf("never seen\n");
}
static void printf_without_waiting() {
  prints<<<1, 1>>>();
}

__global__ void endless_loop(volatile int *p) {
  while (*p == 0) {  // HERE endless
  }
}
static void endless() {
  int *p;
  CHECK(cudaMalloc(&p, 4));
  CHECK(cudaMemset(p, 0, 4));
  endless_loop<<<1, 1>>>(p);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void peer() {
  std::printf("%s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
}

__global__ void some_wait(int *p) {
  atomicAdd(p, 1);
  if (blockIdx.x != 0) cooperative_groups::this_grid().sync();  // HERE grid_sync
}
static void run_together(const void *kernel, void **arguments) {
  std::printf("%s\n", cudaGetErrorName(
                          cudaLaunchCooperativeKernel(kernel, dim3(3), dim3(64), arguments, 0, nullptr)));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
static void grid_sync() {
  int *p;
  CHECK(cudaMalloc(&p, 8));
  CHECK(cudaMemset(p, 0, 8));
  void *arguments[] = {&p};
  run_together(reinterpret_cast<const void *>(some_wait), arguments);
}

static void grid_sync_alone() {
  int *p;
  CHECK(cudaMalloc(&p, 8));
  CHECK(cudaMemset(p, 0, 8));
  some_wait<<<3, 64>>>(p);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

__global__ void frees_twice(int **p) {
  int *mine = new int(1);
  delete mine;
  delete mine;  // HERE double_delete
  *p = mine;
}
__global__ void uses_after_delete(int *sum) {
  int *mine = static_cast<int *>(malloc(16));
  mine[0] = 1;
  *sum = mine[0];
  free(mine);
  *sum += mine[0];  // HERE after_free
}
__global__ void past_its_memory(int *sum) {
  int *mine = new int[4];
  for (int i = 0; i <= 4; ++i) mine[i] = i;  // HERE past_new
  *sum = mine[3];
}
template <class T>
static void run_heap(void (*kernel)(T *)) {
  T *p;
  CHECK(cudaMalloc(&p, 8));
  kernel<<<1, 1>>>(p);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
static void double_delete() {
  run_heap(frees_twice);
}
static void after_free() {
  run_heap(uses_after_delete);
}
static void past_new() {
  run_heap(past_its_memory);
}

__global__ void reads_texture(cudaTextureObject_t t, float *to) {
  *to = tex1Dfetch<float>(t, 0);  // HERE destroyed_texture
}
static void destroyed_texture() {
  float *p;
  CHECK(cudaMalloc(&p, 512));
  CHECK(cudaMemset(p, 0, 512));
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = p;
  memory.res.linear.sizeInBytes = 512;
  memory.res.linear.desc = cudaCreateChannelDesc<float>();
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &memory, &how, nullptr));
  CHECK(cudaDestroyTextureObject(texture));
  reads_texture<<<1, 1>>>(texture, p);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

__global__ void writes_surface(cudaSurfaceObject_t s) {
  surf2Dwrite(1.0f, s, threadIdx.x * 4, 0);  // HERE surface
}
static void surface() {
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &floats, 8, 2, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t object;
  CHECK(cudaCreateSurfaceObject(&object, &resource));
  writes_surface<<<1, 9>>>(object);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void exits_with_7() {
  std::exit(7);
}
static void exits_with_7_after_a_race() {
  race();
  std::exit(7);
}
static void aborts_after_a_race() {
  race();
  std::abort();
}
static void null_pointer() {
  race();
  volatile int *p = nullptr;
  *p = 1;
}
static void killed() {
  race();
  std::raise(SIGKILL);
}

int main(int argc, char **argv) {
  const Case cases[] = {{"out_of_bounds", out_of_bounds},
                        {"race", race},
                        {"barrier", barrier},
                        {"uninitialized", uninitialized},
                        {"partial_result", partial_result},
                        {"host_pointer", host_pointer},
                        {"use_after_free", use_after_free},
                        {"copies", copies},
                        {"host_access", follows_a_device_pointer},
                        {"managed_after_free", managed_after_free},
                        {"bad_launch", bad_launch},
                        {"bad_launches", bad_launches},
                        {"leak", leak},
                        {"printf_lost", printf_without_waiting},
                        {"endless", endless},
                        {"peer", peer},
                        {"grid_sync", grid_sync},
                        {"grid_sync_alone", grid_sync_alone},
                        {"double_delete", double_delete},
                        {"after_free", after_free},
                        {"past_new", past_new},
                        {"destroyed_texture", destroyed_texture},
                        {"surface", surface},
                        {"exits_with_7", exits_with_7},
                        {"exits_with_7_after_a_race", exits_with_7_after_a_race},
                        {"aborts", aborts_after_a_race},
                        {"null_pointer", null_pointer},
                        {"killed", killed}};
  return run_case(cases, argc, argv);
}
