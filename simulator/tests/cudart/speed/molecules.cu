// Forces between molecules within a cut-off, from lists of neighbours: gathers, and a branch that few lanes take.
#include <cmath>

#include "speed.hpp"

constexpr int longest = 96;

__device__ __host__ inline float3 pull(float4 me, float4 one, float cutoff, bool &near) {
  const float dx = me.x - one.x, dy = me.y - one.y, dz = me.z - one.z, r2 = dx * dx + dy * dy + dz * dz;
  near = r2 < cutoff * cutoff;
  if (!near) return {0, 0, 0};
  const float r2inv = 1.0f / r2, r6inv = r2inv * r2inv * r2inv;
  const float f = r2inv * r6inv * (r6inv - 0.5f);
  return {f * dx, f * dy, f * dz};
}

__global__ void forces(const float4 *at, float4 *force, const int *neighbours, const int *count, int n,
                       float cutoff) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = at[i];
  float4 sum = {0, 0, 0, 0};
  for (int k = 0; k < count[i]; ++k) {
    bool near;
    const float3 f = pull(me, at[neighbours[k * n + i]], cutoff, near);
    if (near) sum.x += f.x, sum.y += f.y, sum.z += f.z, sum.w += 1;
  }
  force[i] = sum;
}

int main() {
  const int side = 24, n = side * side * side, rounds = 6;
  const float cutoff = 1.9f;
  const std::vector<std::uint32_t> drawn = numbers(3 * n);
  std::vector<float4> at(n);
  for (int i = 0; i < n; ++i) {
    const auto shift = [&](int k) { return static_cast<float>(drawn[3 * i + k] >> 8) / 16777216.0f * 0.3f; };
    at[i] = make_float4(i % side + shift(0), i / side % side + shift(1), i / side / side + shift(2), 0);
  }
  std::vector<int> neighbours(longest * n), count(n);
  for (int i = 0; i < n; ++i) {
    const int x = i % side, y = i / side % side, z = i / side / side;
    for (int dz = -2; dz <= 2; ++dz)
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
          if (dx * dx + dy * dy + dz * dz > 6 || (dx == 0 && dy == 0 && dz == 0)) continue;
          if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side || z + dz < 0 || z + dz >= side)
            continue;
          if (count[i] < longest) neighbours[count[i]++ * n + i] = i + dx + (dy + dz * side) * side;
        }
  }
  const float4 *positions = upload(at);
  const int *lists = upload(neighbours), *lengths = upload(count);
  float4 *result = room<float4>(n);
  for (int r = 0; r < rounds; ++r)
    forces<<<(n + 127) / 128, 128>>>(positions, result, lists, lengths, n, cutoff);
  const std::vector<float4> got = download(result, n);
  bool right = true;
  for (int i = 0; i < n; i += 7) {
    float x = 0, number = 0;
    for (int k = 0; k < count[i]; ++k) {
      bool near;
      x += pull(at[i], at[neighbours[k * n + i]], cutoff, near).x;
      number += near;
    }
    right = right && std::fabs(number - got[i].w) < 2 && std::fabs(x - got[i].x) < 1e-2f * (1 + std::fabs(x));
  }
  return finish(right);
}
