// Step 3, ldmatrix and mma: a warp loads 8 x 8 matrices from tiles whose rows are swizzled over the banks.
//
// ldmatrix reads 8 rows of 16 bytes at once. In a tile that is stored row by row, these rows begin in few
// banks and wait for each other. So the 16-byte chunks of each row are exchanged: chunk c of row r is stored
// where chunk c ^ (a few bits of r) would be. With mma it is specified which lane holds which element, so
// results go straight from registers to C.
#include "hgemm.h"
#include "tensor.h"

constexpr int BM = 128, BN = 128, BK = 32;           // the block's tile of C, and its stride along K
constexpr int WM = 64, WN = 64;                      // the part of this tile that one warp computes
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;  // 128
constexpr int CHUNK = 8;                             // halves in 16 bytes
constexpr int A_CHUNKS = BK / CHUNK;                 // of a row of the tile of A: 4
constexpr int B_CHUNKS = BN / CHUNK;                 // of a row of the tile of B: 16
static_assert(BM * A_CHUNKS % THREADS == 0 && BK * B_CHUNKS % THREADS == 0,
              "threads share the copying evenly");

/// Where a chunk of a row of the tile of A is stored, counted in chunks. Any 8 consecutive rows must be in
/// different banks for each chunk: the 32 banks hold 8 chunks.
inline __device__ int place_in_a(int row, int chunk) {
  // TODO(1): two rows of the tile share the 32 banks once. Which bits of row must change the chunk?
  // STUB: return row * A_CHUNKS + chunk;
  // BEGIN SOLUTION
  return row * A_CHUNKS + (chunk ^ (row / 2 % A_CHUNKS));
  // END SOLUTION
}
/// The same for the tile of B, whose rows have 16 chunks.
inline __device__ int place_in_b(int k, int chunk) {
  // TODO(2): a row is twice as long as the 32 banks.
  // STUB: return k * B_CHUNKS + chunk;
  // BEGIN SOLUTION
  return k * B_CHUNKS + (chunk ^ (k % 8));
  // END SOLUTION
}

__global__ void __launch_bounds__(THREADS)
    multiply_swizzled(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                      float *C) {
  // TODO(3): copy tiles of A and B to shared memory, each chunk to its place. Let each warp load fragments of
  // A with load_matrices and of B with load_matrices_transposed, and multiply them with multiply_add.
  // BEGIN SOLUTION
  __shared__ uint4 a_tile[BM * A_CHUNKS];
  __shared__ uint4 b_tile[BK * B_CHUNKS];
  const int tiles_across = ceil_div(N, BN);
  const int row0 = blockIdx.x / tiles_across * BM, col0 = blockIdx.x % tiles_across * BN;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of this warp, in the block's tile

  float sum[WM / 16][WN / 8][4] = {};
  const uint4 zeros = make_uint4(0, 0, 0, 0);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = thread; i < BM * A_CHUNKS; i += THREADS) {
      const int r = i / A_CHUNKS, chunk = i % A_CHUNKS;
      const bool inside = row0 + r < M && k0 + chunk * CHUNK < K;
      const __half *from = A + (row0 + r) * std::int64_t{K} + k0 + chunk * CHUNK;
      a_tile[place_in_a(r, chunk)] = inside ? *reinterpret_cast<const uint4 *>(from) : zeros;
    }
    for (int i = thread; i < BK * B_CHUNKS; i += THREADS) {
      const int k = i / B_CHUNKS, chunk = i % B_CHUNKS;
      const bool inside = k0 + k < K && col0 + chunk * CHUNK < N;
      const __half *from = B + (k0 + k) * std::int64_t{N} + col0 + chunk * CHUNK;
      b_tile[place_in_b(k, chunk)] = inside ? *reinterpret_cast<const uint4 *>(from) : zeros;
    }
    __syncthreads();  // nobody reads the tiles before they are complete

    for (int k = 0; k < BK; k += 16) {
      // The four matrices of a load: top left, bottom left, top right, bottom right of 16 x 16 elements.
      unsigned a[WM / 16][4], b[WN / 16][4];
      for (int i = 0; i < WM / 16; ++i)
        load_matrices(a[i], &a_tile[place_in_a(row + i * 16 + lane % 16, k / CHUNK + lane / 16)]);
      for (int j = 0; j < WN / 16; ++j)
        load_matrices_transposed(b[j],
                                 &b_tile[place_in_b(k + lane % 16, (col + j * 16) / CHUNK + lane / 16)]);
      for (int i = 0; i < WM / 16; ++i)
        for (int j = 0; j < WN / 8; ++j)
          multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();  // nobody overwrites the tiles before all have read them
  }
  // END SOLUTION

  // TODO(4): each lane computes its elements of C from its sums and stores those inside of C.
  // BEGIN SOLUTION
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
      for (int half = 0; half < 2; ++half) {
        const int r = row0 + row + i * 16 + half * 8 + lane / 4, c = col0 + col + j * 8 + lane % 4 * 2;
        if (r >= M || c >= N) continue;  // N is even: both elements are inside, or none
        float2 *to = reinterpret_cast<float2 *>(C + r * std::int64_t{N} + c);
        float2 made = make_float2(alpha * sum[i][j][half * 2], alpha * sum[i][j][half * 2 + 1]);
        if (beta != 0.0f) {
          const float2 old = *to;
          made = make_float2(made.x + beta * old.x, made.y + beta * old.y);
        }
        *to = made;
      }
  // END SOLUTION
}

void step3(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(5): launch multiply_swizzled with THREADS threads per block and one block per tile of C.
  // BEGIN SOLUTION
  multiply_swizzled<<<ceil_div(M, BM) * ceil_div(N, BN), THREADS>>>(M, N, K, alpha, A, B, beta, C);
  // END SOLUTION
}
