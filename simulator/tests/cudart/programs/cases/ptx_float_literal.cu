// Decimal literals of floats in inline PTX. Prints "100 103".
#include <cstdio>
__global__ void lift(float *p) {
  float v;
  asm("add.f32 %0, %1, 1e2;" : "=f"(v) : "f"(p[threadIdx.x]));
  p[threadIdx.x] = v;
}
int main() {
  float *d, h[4] = {0, 1, 2, 3};
  cudaMalloc(&d, 16);
  cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);
  lift<<<1, 4>>>(d);
  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
  printf("%g %g\n", h[0], h[3]);
  cudaFree(d);
}
