// Beyond 1, Hopper: one warp copies tiles, two warpgroups multiply straight from shared memory.
//
// A block has 128 queries, 64 for each warpgroup that multiplies. Tiles of 128 keys and of 128 values go
// through a ring of four places, keys and values in turn. A warpgroup waits for keys, multiplies them by its
// queries, makes weights of the scores, waits for values and multiplies those: while it makes weights, its
// tensor cores are free for the other one.
#include "hopper.h"

constexpr int BM = 128, BN = 128, PLACES = 4;  // queries of a block, keys of a tile, tiles in shared memory
constexpr int CONSUMERS = BM / 64, THREADS = (1 + CONSUMERS) * 128;
constexpr int shared_bytes(int width) {
  return (BM + PLACES * BN) * width * static_cast<int>(sizeof(Number));
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS, 1)
    attend_in_roles(int length, int causal, const __grid_constant__ CUtensorMap Q,
                    const __grid_constant__ CUtensorMap K, const __grid_constant__ CUtensorMap V, float *O) {
  extern __shared__ __align__(1024) Number queries[];
  Number *const places = queries + BM * WIDTH;
  __shared__ Barrier there, full[PLACES], empty[PLACES];
  const int thread = threadIdx.x, group = thread / 128, head = blockIdx.y;
  if (thread == 0) {
    start_barrier(&there, 1);
    for (Barrier &barrier : full) start_barrier(&barrier, 1);
    for (Barrier &barrier : empty) start_barrier(&barrier, CONSUMERS);
    publish_barriers();
  }
  __syncthreads();
  const int row0 = (causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * BM;  // blocks with many tiles first
  const int tiles = ceil_div(causal ? min(row0 + BM, length) : length, BN);

  if (group == 0) {
    give_registers_up<24>();
    if (thread != 0) return;
    copy_rows<WIDTH, BM>(queries, Q, row0, head, &there);
    for (int i = 0; i < 2 * tiles; ++i) {  // keys and values of tile i / 2
      const int place = i % PLACES;
      await(&empty[place], i / PLACES % 2 ^ 1);  // at once in the first round: no phase is over yet
      copy_rows<WIDTH, BN>(places + place * BN * WIDTH, i % 2 == 0 ? K : V, i / 2 * BN, head, &full[place]);
    }
    return;
  }

  take_registers<240>();
  const int mine = (group - 1) * 64, row = row0 + mine + thread % 128 / 32 * 16 + thread % 32 / 4;
  const Number *my_queries = queries + mine * 64;
  float results[WIDTH / 2] = {};
  Rows rows;
  await(&there, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    const int at_keys = 2 * tile % PLACES, at_values = at_keys + 1, parity = 2 * tile / PLACES % 2;
    const Number *keys = places + at_keys * BN * WIDTH, *values = keys + BN * WIDTH;
    float scores[64];
    await(&full[at_keys], parity);
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < WIDTH; c += 16)
      multiply_keys(scores, factor_at(my_queries + c / 64 * BM * 64 + c % 64),
                    factor_at(keys + c / 64 * BN * 64 + c % 64), c > 0);
    wgmma_commit();
    wgmma_wait(0);
    if (thread % 128 == 0) arrive(&empty[at_keys]);

    const int first = tile * BN, seen = causal ? min(row + 1, length) : length;  // keys of row t
    float shrink[2];
    make_weights<WIDTH>(scores, rows, shrink, first + BN <= (causal ? min(row0 + mine + 1, length) : length),
                        seen - 1 - first, causal ? min(8, length - seen) : 0);
    shrink_results(results, shrink);
    unsigned weights[32];
    pack_weights(weights, scores);

    await(&full[at_values], parity);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BN; k += 16)
      multiply_values(results, weights + k / 4, factor_at(values + k * 64, BN * 64 * sizeof(Number)));
    wgmma_commit();
    wgmma_wait(0);
    if (thread % 128 == 0) arrive(&empty[at_values]);
  }
  store_results(O + std::int64_t{head} * length * WIDTH, row, length, rows, results);
}

void beyond1(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
             const Number *V, float *O) {
  const auto kernel = width == 64 ? attend_in_roles<64> : attend_in_roles<128>;
  const int all = batch * heads;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes(width));
  kernel<<<dim3(ceil_div(length, BM), all), THREADS, shared_bytes(width)>>>(
      length, causal, map_of(Q, all, length, width, BM), map_of(K, all, length, width, BN),
      map_of(V, all, length, width, BN), O);
}
