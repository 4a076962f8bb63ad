// The kernel waits for a word that nothing writes; a signal ends the program.
#include <cstdio>
__global__ void wait_for_host(volatile int *go, int *out) {
  int looks = 0;
  while (*go == 0) {
    looks++;
    out[1] = looks;
  }
  out[0] = looks;
}
int main() {
  int *d;
  cudaMalloc(&d, 12);
  cudaMemset(d, 0, 12);
  wait_for_host<<<1, 1>>>(d, d + 1);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(d);
}
