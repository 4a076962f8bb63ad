// What a program can do wrong with the memory and the streams of another device.
#include "../check.hpp"

__global__ void load(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x];  // HERE load
}
__global__ void store(int *to) {
  to[threadIdx.x] = 1;  // HERE store
}
__global__ void count(int *to) {
  atomicAdd(to, 1);  // HERE count
}
__global__ void count_and_use(int *to, int *here) {
  here[threadIdx.x] = atomicAdd(to, 1);  // HERE count_and_use
}

static int *ints_on(int device) {
  int *p;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&p, 32 * sizeof(int)));
  CHECK(cudaMemset(p, 0, 32 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  return p;
}
static void end() {
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void load_without_access() {
  int *there = ints_on(1), *here = ints_on(0);
  load<<<1, 32>>>(here, there);
  end();
}
static void store_without_access() {
  int *there = ints_on(1);
  CHECK(cudaSetDevice(0));
  store<<<1, 32>>>(there);
  end();
}
static void count_without_access() {
  int *there = ints_on(1);
  CHECK(cudaSetDevice(0));
  count<<<1, 32>>>(there);
  end();
}
static void count_and_use_without_access() {
  int *there = ints_on(1), *here = ints_on(0);
  count_and_use<<<1, 32>>>(there, here);
  end();
}
static void access_of_the_other() {  // device 1 has access to device 0, not the other way round
  int *there = ints_on(1), *here = ints_on(0);
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaSetDevice(0));
  load<<<1, 32>>>(here, there);
  end();
}
static void access_taken_back() {
  int *there = ints_on(1), *here = ints_on(0);
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  load<<<1, 32>>>(here, there);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceDisablePeerAccess(1));
  load<<<1, 32>>>(here, there);
  end();
}
static void stream_of_another_device() {
  int *there = ints_on(1);
  cudaStream_t of_device_0;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreate(&of_device_0));
  CHECK(cudaSetDevice(1));
  store<<<1, 32, 0, of_device_0>>>(there);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
static void fill_of_another_device() {
  int *there = ints_on(1);
  CHECK(cudaSetDevice(0));
  printf("%s\n", cudaGetErrorName(cudaMemset(there, 0, 4)));
}

static void event_of_another_device() {
  cudaEvent_t of_device_1;
  CHECK(cudaSetDevice(1));
  CHECK(cudaEventCreate(&of_device_1));
  CHECK(cudaSetDevice(0));
  printf("%s\n", cudaGetErrorName(cudaEventRecord(of_device_1)));
}

constexpr Case cases[] = {{"load_without_access", load_without_access},
                          {"store_without_access", store_without_access},
                          {"count_without_access", count_without_access},
                          {"count_and_use_without_access", count_and_use_without_access},
                          {"access_of_the_other", access_of_the_other},
                          {"access_taken_back", access_taken_back},
                          {"stream_of_another_device", stream_of_another_device},
                          {"fill_of_another_device", fill_of_another_device},
                          {"event_of_another_device", event_of_another_device}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
