// Each kernel is a program with a label: RACY has a race by docs/memory-model.md, RIGHT has none. blocks and
// threads are its launch. a, b, c: 1024 zeros each; row, col: a graph of n = 128 vertices, symmetrical, in
// compressed rows, whose vertices 0 and 1 are neighbours of all.
#pragma once

#define RACE_PARAMETERS int *a, int *b, int *c, const int *row, const int *col, int n
#define RACY(blocks, threads, name) \
  extern "C" __global__ void racy_##blocks##_##threads##_##name(RACE_PARAMETERS)
#define RIGHT(blocks, threads, name) \
  extern "C" __global__ void right_##blocks##_##threads##_##name(RACE_PARAMETERS)

__device__ inline int thread_in_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
