// A fixed number of blocks takes tiles of T x T elements one after the other, in shared memory, going along the rows of C or in
// squares of SIDE x SIDE tiles, so that what one tile read is still in the caches for the next.
//   T, BLOCKS
//   SIDE        1: along the rows
//   RM          elements of a column that a thread computes; T must be a multiple of it
#include "gemm.h"

__global__ void __launch_bounds__(T *T / RM)
    product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float a_tile[T][T + 1], b_tile[T][T];
  const int across = (N + T - 1) / T, down = (M + T - 1) / T;
  const int wide = (across + SIDE - 1) / SIDE * SIDE, high = (down + SIDE - 1) / SIDE * SIDE;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int tile = blockIdx.x; tile < wide * high; tile += BLOCKS) {
    const int square = tile / (SIDE * SIDE), inside = tile % (SIDE * SIDE);
    const int ty = square / (wide / SIDE) * SIDE + inside / SIDE, tx = square % (wide / SIDE) * SIDE + inside % SIDE;
    if (ty >= down || tx >= across) continue;
    const int row0 = ty * T, col = tx * T + x;
    float sum[RM] = {};
    for (int k0 = 0; k0 < K; k0 += T) {
      for (int r = y; r < T; r += T / RM) {
        a_tile[r][x] = row0 + r < M && k0 + x < K ? A[std::int64_t{row0 + r} * K + k0 + x] : 0.0f;
        b_tile[r][x] = k0 + r < K && col < N ? B[std::int64_t{k0 + r} * N + col] : 0.0f;
      }
      __syncthreads();
      for (int k = 0; k < T; ++k) {
        const float b = b_tile[k][x];
        for (int i = 0; i < RM; ++i) sum[i] += a_tile[i * (T / RM) + y][k] * b;
      }
      __syncthreads();
    }
    for (int i = 0; i < RM; ++i) {
      const int row = row0 + i * (T / RM) + y;
      if (row >= M || col >= N) continue;
      float *to = C + std::int64_t{row} * N + col;
      *to = alpha * sum[i] + (beta == 0.0f ? 0.0f : beta * *to);
    }
  }
}

void STEP(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  product<<<BLOCKS, dim3(T, T / RM)>>>(M, N, K, alpha, A, B, beta, C);
}
