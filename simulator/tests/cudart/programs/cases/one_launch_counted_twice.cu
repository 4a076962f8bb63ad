// One line reads past the ends of two allocations, in one launch.
#include <cstdio>
__global__ void mix(const float *left, const float *right, float *sum) {
  int i = threadIdx.x;
  sum[i] = left[i] + right[i];
}
int main() {
  float *left, *right, *sum;
  cudaMalloc(&left, 100 * 4);
  cudaMalloc(&right, 120 * 4);
  cudaMalloc(&sum, 128 * 4);
  cudaMemset(left, 0, 100 * 4);
  cudaMemset(right, 0, 120 * 4);
  mix<<<1, 128>>>(left, right, sum);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(left);
  cudaFree(right);
  cudaFree(sum);
}
