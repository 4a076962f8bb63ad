// The tiled product of every course, at 768 x 768 x 768.
#include <cmath>

#include "speed.hpp"

constexpr int tile = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (n + tile - 1) / tile; ++t) {
    const int ac = t * tile + threadIdx.x, br = t * tile + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < n && ac < n ? a[row * n + ac] : 0;
    bs[threadIdx.y][threadIdx.x] = br < n && col < n ? b[br * n + col] : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

int main() {
  const int n = 768;
  const std::vector<std::uint32_t> drawn = numbers(2 * n * n);
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = drawn[i] % 9, b[i] = drawn[n * n + i] % 9;
  const float *da = upload(a), *db = upload(b);
  float *dc = room<float>(n * n);
  multiply<<<dim3((n + tile - 1) / tile, (n + tile - 1) / tile), dim3(tile, tile)>>>(da, db, dc, n);
  const std::vector<float> c = download(dc, n * n);
  bool right = true;
  for (int row = 0; row < n; row += 31)
    for (int col = 0; col < n; col += 29) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
      right = right && c[row * n + col] == sum;
    }
  return finish(right);
}
