// Tiles in shared memory, and many results for each thread. Every size that may be turned is in options.h.
//
// A thread's results lie BX columns and BY rows apart: neighbours in a row of C are then those of
// neighbouring threads, and so is all that a warp reads and writes.
#include "pa2.h"

template <class G>
__global__ void __launch_bounds__(G::bx *G::by)
    tiled_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(1): for each stride of G::tile_k along K, copy a tile of A and a tile of B to shared memory, zeros
  // where they leave the matrices; then let each thread add to its G::rows x G::cols sums, which it keeps in
  // registers. Write those that lie inside C. Which number is read from shared memory more than once?
}

template <class G>
void launch(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): start tiled_product<G> with blocks of G::bx x G::by threads, one for each tile of C. Without
  // cudaFuncSetAttribute a block may have 48 KiB of shared memory; larger tiles must ask for it.
}

void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(3): choose by the size of C.
}
