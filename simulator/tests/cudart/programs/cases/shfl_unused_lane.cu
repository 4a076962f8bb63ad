// Lane 15 reads from lane 16, which takes no part; nobody uses what it gets.
#include <cstdio>
__global__ void part_sum(const int *in, int *out) {
  int lane = threadIdx.x;
  unsigned who = __ballot_sync(~0u, lane < 16);
  if (lane < 16) {
    int v = in[lane];
    for (int hop = 8; hop > 0; hop >>= 1) v += __shfl_down_sync(who, v, hop);
    if (lane == 0) *out = v;
  }
}
int main() {
  int h[32], *d;
  for (int i = 0; i < 32; i++) h[i] = i;
  cudaMalloc(&d, sizeof h + 4);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  part_sum<<<1, 32>>>(d, d + 32);
  cudaMemcpy(h, d + 32, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(d);
}
