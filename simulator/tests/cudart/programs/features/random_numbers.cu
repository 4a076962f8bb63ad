// cuRAND's device API: generators of every kind with their distributions; the numbers are those of a GPU.
#include <curand_kernel.h>

#include <cstdio>

template <class State>
__global__ void draw(unsigned *bits, float *numbers) {
  State state;
  curand_init(1234, threadIdx.x, 5, &state);
  bits[threadIdx.x] = curand(&state);
  numbers[3 * threadIdx.x] = curand_uniform(&state);
  numbers[3 * threadIdx.x + 1] = curand_normal(&state);
  numbers[3 * threadIdx.x + 2] = static_cast<float>(curand_poisson(&state, 4.0));
}
__global__ void four(unsigned *bits) {
  curandStatePhilox4_32_10_t state;
  curand_init(42, threadIdx.x, 0, &state);
  const uint4 all = curand4(&state);
  bits[4 * threadIdx.x] = all.x, bits[4 * threadIdx.x + 1] = all.y;
  bits[4 * threadIdx.x + 2] = all.z, bits[4 * threadIdx.x + 3] = all.w;
}
/// A state in memory, carried from launch to launch: pi by counting.
__global__ void seed(curandState *states) {
  curand_init(7, threadIdx.x, 0, &states[threadIdx.x]);
}
__global__ void count(curandState *states, unsigned *hits) {
  curandState mine = states[threadIdx.x];
  unsigned inside = 0;
  for (int i = 0; i < 100; ++i) {
    const float x = curand_uniform(&mine), y = curand_uniform(&mine);
    inside += x * x + y * y <= 1;
  }
  states[threadIdx.x] = mine;
  atomicAdd(hits, inside);
}

template <class State>
static void show(const char *name, unsigned *bits, float *numbers) {
  draw<State><<<1, 4>>>(bits, numbers);
  unsigned b[4];
  float f[12];
  cudaMemcpy(b, bits, sizeof b, cudaMemcpyDeviceToHost);
  cudaMemcpy(f, numbers, sizeof f, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4; ++i)
    printf("%s %u %.5f %.4f %g\n", name, b[i], f[3 * i], f[3 * i + 1], f[3 * i + 2]);
}

int main() {
  unsigned *bits, b[8], hits = 0;
  float *numbers;
  cudaMalloc(&bits, 64);
  cudaMalloc(&numbers, 64);
  show<curandStateXORWOW_t>("xorwow", bits, numbers);
  show<curandStateMRG32k3a_t>("mrg32k3a", bits, numbers);
  show<curandStatePhilox4_32_10_t>("philox", bits, numbers);
  four<<<1, 2>>>(bits);
  cudaMemcpy(b, bits, sizeof b, cudaMemcpyDeviceToHost);
  for (unsigned &one : b) printf("%s%08x", &one == b ? "" : " ", one);
  curandState *states;
  cudaMalloc(&states, 64 * sizeof(curandState));
  cudaMemset(bits, 0, 4);
  seed<<<1, 64>>>(states);
  count<<<1, 64>>>(states, bits);
  count<<<1, 64>>>(states, bits);
  cudaMemcpy(&hits, bits, sizeof hits, cudaMemcpyDeviceToHost);
  printf("\nhits %u of 12800\n", hits);
  cudaFree(bits);
  cudaFree(numbers);
  cudaFree(states);
  printf("end %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
