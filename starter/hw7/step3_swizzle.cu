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
  return row * A_CHUNKS + chunk;
}
/// The same for the tile of B, whose rows have 16 chunks.
inline __device__ int place_in_b(int k, int chunk) {
  // TODO(2): a row is twice as long as the 32 banks.
  return k * B_CHUNKS + chunk;
}

__global__ void __launch_bounds__(THREADS)
    multiply_swizzled(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta,
                      float *C) {
  // TODO(3): copy tiles of A and B to shared memory, each chunk to its place. Let each warp load fragments of
  // A with load_matrices and of B with load_matrices_transposed, and multiply them with multiply_add.

  // TODO(4): each lane computes its elements of C from its sums and stores those inside of C.
}

void step3(int M, int N, int K, float alpha, const __half *A, const __half *B, float beta, float *C) {
  // TODO(5): launch multiply_swizzled with THREADS threads per block and one block per tile of C.
}
