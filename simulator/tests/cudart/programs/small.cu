// Built in several ways, some of which the simulator cannot take.
__global__ void kernel(int *p) {
  p[threadIdx.x] = 1;
}
int main() {
  int *p;
  cudaMalloc(&p, 64);
  kernel<<<1, 32>>>(p);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 5;
}
