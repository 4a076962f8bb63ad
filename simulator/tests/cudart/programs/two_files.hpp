#pragma once

template <int N>
__global__ void give(int *to) {
  *to = N;
}

template <int N>
int shared_template() {
  int *p, value = 0;
  cudaMalloc(&p, sizeof value);
  give<N><<<1, 1>>>(p);
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return value;
}
