// One thread waits for a word that nothing writes, in a loop with another loop in it.
#include <cstdio>
__global__ void wait_for_word(int *word, int *out) {
  int found = 0;
  while (found == 0)
    for (int i = 0; i < 3; ++i) found += atomicAdd(word + i, 0);
  *out = found;
}
int main() {
  int *words;
  cudaMalloc(&words, 4 * sizeof(int));
  cudaMemset(words, 0, 4 * sizeof(int));
  wait_for_word<<<2, 1>>>(words, words + 3);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(words);
}
