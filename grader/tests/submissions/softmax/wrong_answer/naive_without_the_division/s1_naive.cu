// Writes e^(x - largest), not divided by the sum.
// Verdict: wrong answer, with this cause.
#include "softmax.h"

[[maybe_unused]] constexpr int THREADS = 64;

__global__ void softmax_by_thread(int rows, int columns, const float *x, float *y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  const float *const in = x + row * columns;
  float largest = in[0];
  for (int c = 1; c < columns; ++c) largest = fmaxf(largest, in[c]);
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += expf(in[c] - largest);
  for (int c = 0; c < columns; ++c) y[row * columns + c] = expf(in[c] - largest);
}

void naive(int rows, int columns, const float *x, float *y) {
  if (rows == 0) return;
  softmax_by_thread<<<(rows + THREADS - 1) / THREADS, THREADS>>>(rows, columns, x, y);
}
