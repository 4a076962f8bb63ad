// Words that kernels of two devices share: with the scope of the system, and with one that is too narrow.
#include "../check.hpp"

__global__ void count(int *to) {
  atomicAdd(to, 1);  // HERE count
}
__global__ void count_for_all(int *to) {
  atomicAdd_system(to, 1);
}
__global__ void send(int *data, int *flag) {
  *data = 42;
  __threadfence_system();
  atomicExch_system(flag, 1);
}
__global__ void send_narrowly(int *data, int *flag) {
  *data = 42;
  __threadfence();
  atomicExch(flag, 1);  // HERE send_narrowly
}
__global__ void receive(int *to, const int *data, const volatile int *flag) {
  while (*flag == 0) {  // HERE receive
  }
  __threadfence_system();
  *to = *data;
}

struct Words {
  int *word, *data, *result;
};
static Words words() {
  Words made;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
  }
  CHECK(cudaMalloc(&made.result, 4));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&made.word, 4));
  CHECK(cudaMalloc(&made.data, 4));
  CHECK(cudaMemset(made.word, 0, 4));
  CHECK(cudaMemset(made.data, 0, 4));
  CHECK(cudaDeviceSynchronize());
  return made;
}
static int at(const int *p) {
  int value;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(&value, p, 4, cudaMemcpyDefault));
  return value;
}

static void counter() {
  const Words w = words();
  count<<<2, 32>>>(w.word);
  CHECK(cudaSetDevice(1));
  count<<<2, 32>>>(w.word);
  EXPECT(at(w.word) == 128);
}
static void right_counter() {
  const Words w = words();
  count_for_all<<<2, 32>>>(w.word);
  CHECK(cudaSetDevice(1));
  count_for_all<<<2, 32>>>(w.word);
  EXPECT(at(w.word) == 128);
}
static void right_counter_in_turn() {
  const Words w = words();
  count<<<2, 32>>>(w.word);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  count<<<2, 32>>>(w.word);
  EXPECT(at(w.word) == 128);
}
static void flag() {
  const Words w = words();
  send_narrowly<<<1, 1>>>(w.data, w.word);
  CHECK(cudaSetDevice(1));
  receive<<<1, 1>>>(w.result, w.data, w.word);
  EXPECT(at(w.result) == 42);
}
static void right_flag() {
  const Words w = words();
  send<<<1, 1>>>(w.data, w.word);
  CHECK(cudaSetDevice(1));
  receive<<<1, 1>>>(w.result, w.data, w.word);
  EXPECT(at(w.result) == 42);
}
static void flag_that_comes_later() {  // a GPU runs both at the same time
  const Words w = words();
  CHECK(cudaSetDevice(1));
  receive<<<1, 1>>>(w.result, w.data, w.word);
  CHECK(cudaSetDevice(0));
  send<<<1, 1>>>(w.data, w.word);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

__global__ void meet(int *arrived, int devices) {
  atomicAdd_system(arrived, 1);
  while (*static_cast<volatile int *>(arrived) < devices) {  // HERE meet
  }
}
static void barrier_of_all_devices() {  // a GPU runs both at the same time
  const Words w = words();
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    meet<<<1, 1>>>(w.word, 2);
  }
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

constexpr Case cases[] = {{"counter", counter},
                          {"right_counter", right_counter},
                          {"right_counter_in_turn", right_counter_in_turn},
                          {"flag", flag},
                          {"right_flag", right_flag},
                          {"flag_that_comes_later", flag_that_comes_later},
                          {"barrier_of_all_devices", barrier_of_all_devices}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
