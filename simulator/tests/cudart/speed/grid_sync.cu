// Heat on a ring of cells: one cooperative launch whose blocks meet at a barrier of the grid after each of 100 steps.
#include <cooperative_groups.h>

#include <cmath>

#include "speed.hpp"

namespace cg = cooperative_groups;

__global__ void diffuse(float *now, float *next, int cells, int steps) {
  const cg::grid_group grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = (i + cells - 1) % cells, right = (i + 1) % cells;
  for (int step = 0; step < steps; ++step) {
    next[i] = 0.25f * now[left] + 0.5f * now[i] + 0.25f * now[right];
    grid.sync();
    float *const done = now;
    now = next;
    next = done;
  }
}

int main() {
  const int blocks = 32, threads = 256, cells = blocks * threads;
  int steps = 100, count = cells;  // even, so that the result is where the data began
  std::vector<float> heat(cells);
  const std::vector<std::uint32_t> drawn = numbers(cells);
  for (int i = 0; i < cells; ++i) heat[i] = drawn[i] % 1000;
  float *now = upload(heat), *next = room<float>(cells);
  void *arguments[] = {&now, &next, &count, &steps};
  CHECK(
      cudaLaunchCooperativeKernel((const void *)diffuse, dim3(blocks), dim3(threads), arguments, 0, nullptr));
  const std::vector<float> got = download(now, cells);
  std::vector<float> after(cells);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < cells; ++i)
      after[i] = 0.25f * heat[(i + cells - 1) % cells] + 0.5f * heat[i] + 0.25f * heat[(i + 1) % cells];
    std::swap(after, heat);
  }
  bool right = true;
  for (int i = 0; i < cells; ++i) right = right && std::fabs(got[i] - heat[i]) <= 0.01f;
  return finish(right);
}
