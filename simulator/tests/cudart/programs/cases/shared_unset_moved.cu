// In the first row, words that nobody has set are moved to where nobody looks.
#include <cstdio>
__global__ void slide(const int *in, int *out, int n) {
  __shared__ int last[64], cur[64];
  int i = threadIdx.x;
  for (int row = 0; row < n; row++) {
    last[i] = cur[i];
    cur[i] = in[row * 64 + i];
    __syncthreads();
    if (row > 0)
      out[row * 64 + i] = cur[i] - last[63 - i];
    else
      out[i] = cur[i];
    __syncthreads();
  }
}
int main() {
  static int h[256];
  int *in, *out;
  for (int i = 0; i < 256; i++) h[i] = i * i;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  slide<<<1, 64>>>(in, out, 4);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[5], h[200]);
  cudaFree(in);
  cudaFree(out);
}
