// Mistakes of kernels that kernels start, one for each argument.
#include <cstdio>
#include <string>

__global__ void child(int *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void too_many_threads(int *p) {
  child<<<1, 2048>>>(p);
}
__global__ void past_the_end(int *p) {
  child<<<2, 64>>>(p);
}
__global__ void endless(int *p) {
  *p += 1;
  endless<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
}

__global__ void given_shared(int *p) {
  __shared__ int own[64];
  own[threadIdx.x] = p[threadIdx.x];
  child<<<1, 1>>>(own);  // HERE shared_pointer
}

int main(int, char **arguments) {
  const std::string which = arguments[1];
  int *p;
  cudaMalloc(&p, 100 * sizeof(int));
  cudaMemset(p, 0, 100 * sizeof(int));
  if (which == "threads") too_many_threads<<<1, 1>>>(p);
  if (which == "bounds") past_the_end<<<1, 1>>>(p);
  if (which == "shared") given_shared<<<1, 1>>>(p);
  if (which == "endless") endless<<<1, 1>>>(p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(p);
}
