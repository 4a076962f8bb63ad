// The exchange is the first write of the word, and nobody uses what it finds there.
#include <cstdio>
__global__ void publish(unsigned *word) {
  if (threadIdx.x == 0) atomicExch(word, 7u);
}
int main() {
  unsigned *word, got = 0;
  cudaMalloc(&word, sizeof *word);
  publish<<<1, 32>>>(word);
  cudaMemcpy(&got, word, sizeof got, cudaMemcpyDeviceToHost);
  printf("%u\n", got);
  cudaFree(word);
  return got != 7;
}
