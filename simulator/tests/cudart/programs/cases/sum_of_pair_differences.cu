// 21 = |9-1| + |3-16|.
#include <cstdio>
__global__ void apart(unsigned a, unsigned b, unsigned *out) {
  *out = __vsadu2(a, b);
}
int main() {
  unsigned *d, h = 0;
  cudaMalloc(&d, 4);
  apart<<<1, 1>>>(0x00090003u, 0x00010010u, d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%u\n", h);
  cudaFree(d);
}
