// Tiles in shared memory, and many results per thread. Every size that you can tune is in options.h.
//
// A thread's results are BX columns and BY rows apart. So neighbouring threads compute neighbouring elements
// in a row of C, and a warp reads and writes neighbouring elements.
#include "pa2.h"

template <class G>
__global__ void __launch_bounds__(G::bx *G::by)
    tiled_product(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(1): for each stride of G::tile_k along K, copy a tile of A and a tile of B to shared memory, with
  // zeros outside the matrices; then let each thread add to its G::rows x G::cols sums, which it keeps in
  // registers. Write the results inside C. Which numbers are read from shared memory more than once?
}

template <class G>
void launch(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch tiled_product<G> with blocks of G::bx x G::by threads, one for each tile of C. Without
  // cudaFuncSetAttribute, a block gets at most 48 KiB of shared memory; larger tiles must request more.
}

void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(3): choose the geometry by the size of C.
}
