// Three hundred steps of a stencil on 256 x 256 points through a tile in shared memory, with a rim.
#include <algorithm>
#include <cmath>

#include "speed.hpp"

constexpr int tile = 16;

__global__ void step(const float *from, float *to, int n, float k) {
  __shared__ float part[tile + 2][tile + 2];
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const auto value = [&](int x, int y) { return from[min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1)]; };
  part[ty][tx] = value(x, y);
  if (threadIdx.x == 0) part[ty][0] = value(x - 1, y);
  if (threadIdx.x == tile - 1) part[ty][tile + 1] = value(x + 1, y);
  if (threadIdx.y == 0) part[0][tx] = value(x, y - 1);
  if (threadIdx.y == tile - 1) part[tile + 1][tx] = value(x, y + 1);
  __syncthreads();
  const float c = part[ty][tx];
  to[y * n + x] = c + k * (part[ty][tx - 1] + part[ty][tx + 1] + part[ty - 1][tx] + part[ty + 1][tx] - 4 * c);
}

int main() {
  const int n = 256, steps = 300;
  const std::vector<std::uint32_t> drawn = numbers(n * n);
  std::vector<float> now(n * n), next(n * n);
  for (int i = 0; i < n * n; ++i) now[i] = static_cast<float>(drawn[i] >> 8) / 16777216.0f;
  float *from = upload(now), *to = room<float>(n * n);
  for (int s = 0; s < steps; ++s) {
    step<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(from, to, n, 0.2f);
    std::swap(from, to);
    const auto value = [&](int x, int y) {
      return now[std::clamp(y, 0, n - 1) * n + std::clamp(x, 0, n - 1)];
    };
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const float c = value(x, y);
        next[y * n + x] =
            c + 0.2f * (value(x - 1, y) + value(x + 1, y) + value(x, y - 1) + value(x, y + 1) - 4 * c);
      }
    std::swap(now, next);
  }
  const std::vector<float> got = download(from, n * n);
  bool right = true;
  for (int i = 0; i < n * n; ++i) right = right && std::fabs(got[i] - now[i]) < 1e-4f;
  return finish(right);
}
