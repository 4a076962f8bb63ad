// The host reads a counter in managed memory without waiting for the kernel that adds to it.
#include <cstdio>
__global__ void count_hits(int *hits) {
  atomicAdd(hits, 1);
}
int main() {
  int *hits;
  cudaMallocManaged(&hits, sizeof(int));
  *hits = 0;
  count_hits<<<1, 32>>>(hits);
  printf("%d\n", *hits);
  cudaFree(hits);
}
