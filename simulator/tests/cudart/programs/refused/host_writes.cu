// A kernel that runs until the host writes to memory that both see.
#include <cstdio>

__global__ void until_told(volatile int *told, volatile int *answer) {
  while (*told == 0) {
  }
  *answer = 42;
}

int main(int argc, char **) {
  int *words;
  cudaHostAlloc(&words, 2 * sizeof(int), cudaHostAllocMapped);
  words[0] = words[1] = 0;
  const int blocks = argc > 1 ? 4 : 1;
  until_told<<<blocks, 32>>>(words, words + 1);
  words[0] = 1;
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
