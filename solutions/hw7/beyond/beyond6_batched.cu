// Beyond 6, many small products: C[i] = alpha A[i] B[i] + beta C[i] for i < batch, in one launch.
//
// The matrices of one kind follow each other in memory; N and K are multiples of 8. To the copy engine, the number
// of the product is a third coordinate: a box that reaches beyond the last row of a matrix gets zeros, not the rows
// of the next one, and what is stored there is dropped.
//
// 64 products of 256 x 256 are 128 tiles, one for nearly each multiprocessor of an H200. They move 33 MB for 2
// GFLOP: memory is the limit, and a multiprocessor that first loads everything and then stores everything uses one
// direction at a time. So the warpgroups divide a tile into a left and a right half, and where all of K fits into
// the stages, B's right half comes last: the left half is stored while it arrives.
#include <algorithm>

#include "hopper.h"

constexpr int BM = 128, BK = 64;  // rows of the block's tile of C, and its stride along K
constexpr int STAGES = 4;         // tiles of A with tiles of B in shared memory
constexpr int THREADS = 3 * 128;  // a warpgroup that copies, and one for each half of the columns
constexpr int A_TILE = BM * BK;   // halves
constexpr bool RIGHT_LAST = true;
constexpr int BUFFERS = 2;  // of each warpgroup, for results on their way out

struct Shape {
  int M, N, K, batch;
  float alpha, beta;
};

constexpr int shared_bytes(int BN) {
  return STAGES * (A_TILE + BK * BN) * int{sizeof(__half)} + 2 * BUFFERS * BOX_BYTES;
}

/// COPIED: the copy engine writes C, which is not read. Otherwise threads do.
template <int BN, bool COPIED>
__global__ void __launch_bounds__(THREADS, 1)
    multiply_batch(Shape p, float *C, const __grid_constant__ CUtensorMap A,
                   const __grid_constant__ CUtensorMap B, const __grid_constant__ CUtensorMap to) {
  constexpr int HALF = BN / 2, STAGE = A_TILE + BK * BN;
  extern __shared__ __align__(1024) __half tiles[];
  __shared__ Barrier full[2][STAGES], empty[STAGES];  // left: A and the left half of B; right: the other half
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    fetch_map(A), fetch_map(B), fetch_map(to);
    for (int stage = 0; stage < STAGES; ++stage) {
      start_barrier(&full[0][stage], 1), start_barrier(&full[1][stage], 1);
      start_barrier(&empty[stage], 2);
    }
    publish_barriers();
  }
  __syncthreads();

  const int tiles_across = ceil_div(p.N, BN), tiles_down = ceil_div(p.M, BM), strides = ceil_div(p.K, BK);
  const int count = tiles_across * tiles_down * p.batch;
  const int mine = (count - blockIdx.x + gridDim.x - 1) / gridDim.x * strides;  // of all tiles of this block
  const auto place = [&](int stride, int &row, int &col, int &product) {
    const int tile = blockIdx.x + stride / strides * gridDim.x, in_column = tile / tiles_down;
    row = tile % tiles_down * BM;
    col = in_column % tiles_across * BN;
    product = in_column / tiles_across;
  };

  if (group == 0) {
    give_registers_up<40>();
    if (thread != 0) return;
    const int behind = RIGHT_LAST && strides <= STAGES ? strides - 1 : 0;  // the right halves follow
    int row, col, product;
    for (int s = 0; s < mine + behind; ++s) {
      for (const int half : {0, 1}) {
        const int t = half == 0 ? s : s - behind, stage = t % STAGES;
        if (t < 0 || t >= mine) continue;
        place(t, row, col, product);
        __half *a = tiles + stage * STAGE, *b = a + A_TILE + half * HALF * BK;
        Barrier *barrier = &full[half][stage];
        if (half == 0) await(&empty[stage], t / STAGES % 2 ^ 1);
        arrive_and_expect(barrier, ((half == 0 ? A_TILE : 0) + HALF * BK) * sizeof(__half));
        if (half == 0) copy_box(a, A, t % strides * BK, row, product, barrier);
        for (int i = 0; i < HALF; i += 64)
          copy_box(b + i * BK, B, col + half * HALF + i, t % strides * BK, product, barrier);
      }
    }
    return;
  }

  take_registers<232>();
  const int half = group - 1;
  char *boxes = reinterpret_cast<char *>(tiles + STAGES * STAGE) + half * BUFFERS * BOX_BYTES;
  for (int s = 0; s < mine;) {
    float sum[2][HALF / 2];  // 64 rows each
    const int begin = s;
    for (; s < begin + strides; ++s) {
      const int stage = s % STAGES;
      await(&full[0][stage], s / STAGES % 2);
      if (half == 1) await(&full[1][stage], s / STAGES % 2);
      const __half *a = tiles + stage * STAGE, *b = a + A_TILE + half * HALF * BK;
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < BK; k += 16)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          multiply_tile(sum[i], factor_at(a + i * 64 * BK + k), factor_at(b + k * 64, 64 * BK * 2),
                        s + k > begin);
      wgmma_commit();
      if (s > begin) {
        wgmma_wait(1);
        if (thread % 128 == 0) arrive(&empty[(s - 1) % STAGES]);
      }
    }
    wgmma_wait(0);
    if (thread % 128 == 0) arrive(&empty[(s - 1) % STAGES]);

    int row, col, product;
    place(begin, row, col, product);
    col += half * HALF;
#pragma unroll
    for (int i = 0; i < 2; ++i, row += 64)
      if constexpr (COPIED)
        store_by_copies<BUFFERS>(boxes, 1 + half, p.alpha, sum[i],
                                 [&](const char *box, int c) { store_box(to, box, col + c, row, product); });
      else
        store_tile(C + std::int64_t{product} * p.M * p.N, p.M, p.N, row, col, p.alpha, p.beta, sum[i]);
  }
  if (COPIED && thread % 128 == 0) await_stores<0>();
}

template <int BN>
static void launch(const Shape &p, const __half *A, const __half *B, float *C) {
  int multiprocessors = 1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = std::min(ceil_div(p.M, BM) * ceil_div(p.N, BN) * p.batch, multiprocessors);
  const auto kernel = p.beta == 0.0f ? multiply_batch<BN, true> : multiply_batch<BN, false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes(BN));
  kernel<<<blocks, THREADS, shared_bytes(BN)>>>(p, C, map_of_batch(A, p.batch, p.M, p.K, BM),
                                                map_of_batch(B, p.batch, p.K, p.N, BK),
                                                map_of_batch(C, p.batch, p.M, p.N, 64));
}

void beyond6(int M, int N, int K, int batch, float alpha, const __half *A, const __half *B, float beta,
             float *C) {
  const Shape shape{M, N, K, batch, alpha, beta};
  N > 128 ? launch<256>(shape, A, B, C) : launch<128>(shape, A, B, C);
}
