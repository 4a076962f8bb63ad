// Step 3, 2D blocktiling: a block computes 128 x 128 elements of C, each of its 256 threads 8 x 8 of them.
//
// In step 2 a thread reads two numbers from shared memory for each product that it adds. Here it reads 8 + 8
// numbers into registers and computes 64 products from them: arithmetic becomes the limit, not memory.
#include "gemm.h"

constexpr int BM = 128, BN = 128, BK = 8;       // the block's tile of C, and its stride along K
constexpr int TM = 8, TN = 8;                   // the elements of C that one thread computes
constexpr int THREADS_X = BN / TN;              // threads side by side in the block: 16
constexpr int THREADS = THREADS_X * (BM / TM);  // of the whole block: 256
static_assert(BM * BK % THREADS == 0 && BN * BK % THREADS == 0, "threads share the copying evenly");

__global__ void __launch_bounds__(THREADS)
    gemm_blocktile(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(1): copy a BM x BK tile of A and a BK x BN tile of B to shared memory with all threads; then let
  // each thread go through the BK columns and rows of the tiles, fetch TM numbers of A and TN of B, and add
  // all TM x TN products to sums that it keeps in registers. Which elements should a thread take for its
  // loads to be free of conflicts?
}

void step3(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  // TODO(2): launch gemm_blocktile with THREADS threads per block and one block per tile of C.
}
