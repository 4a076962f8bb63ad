// Four thousand bodies that attract each other, two steps; tiles of positions in shared memory.
#include <cmath>

#include "speed.hpp"

constexpr int tile = 256;

__global__ void move(const float4 *from, float4 *to, float3 *speed, int n, float dt) {
  __shared__ float4 part[tile];
  const int i = blockIdx.x * tile + threadIdx.x;
  const float4 me = from[i];
  float3 force = {0, 0, 0};
  for (int first = 0; first < n; first += tile) {
    part[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < tile; ++j) {
      const float dx = part[j].x - me.x, dy = part[j].y - me.y, dz = part[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = part[j].w * inverse * inverse * inverse;
      force.x += f * dx, force.y += f * dy, force.z += f * dz;
    }
    __syncthreads();
  }
  float3 v = speed[i];
  v.x += force.x * dt, v.y += force.y * dt, v.z += force.z * dt;
  speed[i] = v;
  to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

int main() {
  const int n = 4096, steps = 2;
  const std::vector<std::uint32_t> drawn = numbers(4 * n);
  const auto unit = [&](int i) { return static_cast<float>(drawn[i] >> 8) / 16777216.0f; };
  std::vector<float4> bodies(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(unit(4 * i), unit(4 * i + 1), unit(4 * i + 2), unit(4 * i + 3) / n);
  float4 *from = upload(bodies), *to = room<float4>(n);
  float3 *speed = upload(std::vector<float3>(n));
  for (int s = 0; s < steps; ++s) {
    move<<<n / tile, tile>>>(from, to, speed, n, 0.01f);
    std::swap(from, to);
  }
  const std::vector<float4> got = download(from, n);
  // After the second step, speeds are about twice those after the first, so places have moved by three times that.
  bool right = true;
  for (int i = 0; i < n; i += 64) {
    float x = 0, y = 0;
    for (const float4 &other : bodies) {
      const float dx = other.x - bodies[i].x, dy = other.y - bodies[i].y, dz = other.z - bodies[i].z;
      const float f = other.w / std::pow(dx * dx + dy * dy + dz * dz + 0.01f, 1.5f);
      x += f * dx, y += f * dy;
    }
    right = right && std::fabs(got[i].x - bodies[i].x - x * 0.0003f) < 1e-5f &&
            std::fabs(got[i].y - bodies[i].y - y * 0.0003f) < 1e-5f;
  }
  return finish(right);
}
