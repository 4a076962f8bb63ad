// Each item waits for the next one, in a loop with a store and another loop: two blocks poll by turns.
#include <cstdio>
__global__ void settle(int n, int *state) {  // 0: open, 1: settled
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, open;
  do {
    open = 0;
    for (int v = first; v < n; v += step)
      if (atomicAdd(state + v, 0) == 0) {
        if (v == n - 1 || atomicAdd(state + v + 1, 0) != 0)
          atomicExch(state + v, 1);
        else
          open = 1;
      }
  } while (open);
}
int main() {
  const int n = 96;
  int *d;
  static int h[n];
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  settle<<<2, 64>>>(n, d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int s = 0;
  for (int v : h) s += v;
  printf("%d of %d settled\n", s, n);
  cudaFree(d);
}
