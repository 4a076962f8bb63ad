// The kernel reads past the end; then the host's own heap error makes free() abort.
#include <cstdio>
#include <cstdlib>
__global__ void total(const float *v, float *out) {
  atomicAdd(out, v[threadIdx.x]);
}
int main() {
  const int n = 100;
  float *d, *o;
  float *part = (float *)malloc(sizeof(float));
  float *more = (float *)malloc(sizeof(float));
  for (int i = 0; i < 200; i++) part[i] = (float)i;  // host bug: one float was allocated
  cudaMalloc(&d, n * 4);
  cudaMalloc(&o, 4);
  cudaMemset(d, 0, n * 4);
  cudaMemset(o, 0, 4);
  total<<<1, 128>>>(d, o);
  cudaDeviceSynchronize();
  free(more);
  free(part);
  printf("end\n");
}
