// The contract of assignment pa2. A launcher computes, on the GPU,
//
//     C = alpha * A * B + beta * C          A is M x K, B is K x N, C is M x N
//
// M, N, K      any sizes >= 1, whether or not your tiles divide them. M * K, K * N and M * N may exceed 2^31.
// alpha, beta  any finite numbers; mostly 1 and 0.
// A, B, C      device pointers to row-major matrices of single-precision numbers, without padding:
//              A[r * K + c], B[r * N + c] and C[r * N + c] are the elements in row r and column c.
//              The three do not overlap. A and B must stay unchanged. Every element of C is finite on entry,
//              and must be written by your kernels.
//
// A launcher starts its kernels with <<<grid, block, shared bytes>>> and need not wait for them. It may set
// function attributes, and allocate and free scratch memory. It may not copy results back to the host, call
// cuBLAS or another library, or start threads or processes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>  // std::int64_t, for offsets into large matrices

#include "options.h"

void naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);
void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C);

/// a / b, rounded up: the number of tiles of size b that cover a elements. a >= 0, b >= 1.
constexpr __host__ __device__ int ceil_div(int a, int b) {
  return a / b + (a % b != 0);
}

/// A checked geometry: the numbers of options.h, and what follows from them.
template <int BlockX, int BlockY, int TileM, int TileN, int TileK>
struct Geometry {
  static constexpr int bx = BlockX, by = BlockY;  ///< threads per block
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static_assert(bx >= 1 && by >= 1 && bx * by <= 1024, "options.h: a block has 1 to 1024 threads, BX * BY");
  static_assert(bx * by % 32 == 0, "options.h: BX * BY must fill warps of 32 threads");
  static_assert(tile_m >= by && tile_m % by == 0, "options.h: TILEDIM_M must be a multiple of BY");
  static_assert(tile_n >= bx && tile_n % bx == 0, "options.h: TILEDIM_N must be a multiple of BX");
  static_assert(tile_k >= bx && tile_k % bx == 0,
                "options.h: TILEDIM_K must be a multiple of BX, which copies A");
  static_assert(tile_k >= by && tile_k % by == 0,
                "options.h: TILEDIM_K must be a multiple of BY, which copies B");

  static constexpr int rows = tile_m / by, cols = tile_n / bx;  ///< results per thread
  static constexpr int tile_bytes = (tile_m * tile_k + tile_k * tile_n) * 4;
  static_assert(tile_bytes <= 64 * 1024,
                "options.h: tiles of A and B need more than the 64 KiB of a T4's block");
};

using Large = Geometry<BX, BY, TILEDIM_M, TILEDIM_N, TILEDIM_K>;
using Small = Geometry<SMALL_BX, SMALL_BY, SMALL_TILEDIM_M, SMALL_TILEDIM_N, SMALL_TILEDIM_K>;
static_assert(Large::rows >= 1 && Small::rows >= 1, "both are checked, whichever is used");
