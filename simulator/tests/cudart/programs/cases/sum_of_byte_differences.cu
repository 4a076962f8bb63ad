// 22 = |9-1| + |8-2| + |7-3| + |6-10|.
#include <cstdio>
__global__ void distance_of(unsigned a, unsigned b, unsigned *out) {
  *out = __vsadu4(a, b);
}
int main() {
  unsigned *d, h = 0;
  cudaMalloc(&d, 4);
  distance_of<<<1, 1>>>(0x09080706u, 0x0102030au, d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%u\n", h);
  cudaFree(d);
}
