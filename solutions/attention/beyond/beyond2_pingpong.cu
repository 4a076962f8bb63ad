// Beyond 2, ping-pong: the two warpgroups take turns, and each has products under way while it makes weights.
//
// In beyond 1, both warpgroups may make weights at the same time, while the tensor cores wait. Here a
// warpgroup starts its products only in its turn, and then gives the turn to the other one, which starts its
// own while this one makes weights. And a warpgroup does not wait for its own product with values: it starts
// the scores of the next tile together with the values of this one, and makes weights of these scores while
// the values are multiplied.
//
// There are as many blocks as multiprocessors. Each takes one tile of queries after another, and the next one
// is fetched while results are written. With a causal mask, a late tile of queries sees many keys and an early
// one few: a block takes them in pairs, the i-th from the end and the i-th from the start.
#include <algorithm>

#include "hopper.h"

constexpr int BM = 128, BN = 128, PLACES = 4;  // queries and keys of a tile, tiles of keys and of values
constexpr int CONSUMERS = BM / 64, THREADS = (1 + CONSUMERS) * 128;
constexpr int shared_bytes(int width) {
  return (2 * BM + PLACES * BN) * width * static_cast<int>(sizeof(Number));
}

/// The tiles of queries that this block takes, in order: `next()` until it is false.
struct Work {
  int down, per_head, count, causal, at, half = -1;  // tiles of a head; pairs, or tiles; of all heads
  int head = 0, row0 = 0;
  __device__ Work(int length, int heads, int causal)
      : down(ceil_div(length, BM)),
        per_head(causal ? (down + 1) / 2 : down),
        count(per_head * heads),
        causal(causal),
        at(blockIdx.x) {}
  __device__ bool next() {
    const int middle = causal && at % per_head == down - 1 - at % per_head;
    if (half >= 0 && (half == 1 || !causal || middle)) at += gridDim.x, half = -1;
    if (at >= count) return false;
    ++half;
    const int i = at % per_head;
    head = at / per_head;
    row0 = (causal && half == 0 ? down - 1 - i : i) * BM;
    return true;
  }
};

template <int WIDTH>
__global__ void __launch_bounds__(THREADS, 1)
    attend_in_turns(int heads, int length, int causal, const __grid_constant__ CUtensorMap Q,
                    const __grid_constant__ CUtensorMap K, const __grid_constant__ CUtensorMap V, float *O) {
  extern __shared__ __align__(1024) Number queries[];
  Number *const places = queries + 2 * BM * WIDTH;
  __shared__ Barrier there[2], read[2], full[PLACES], empty[PLACES];  // there, read: of two tiles of queries
  const int thread = threadIdx.x, group = thread / 128;
  if (thread == 0) {
    for (int i = 0; i < 2; ++i) start_barrier(&there[i], 1), start_barrier(&read[i], CONSUMERS);
    for (int i = 0; i < PLACES; ++i) start_barrier(&full[i], 1), start_barrier(&empty[i], CONSUMERS);
    publish_barriers();
  }
  __syncthreads();
  const auto tiles_of = [&](const Work &work) {
    return ceil_div(causal ? min(work.row0 + BM, length) : length, BN);
  };
  Work work(length, heads, causal);
  int i = 0;  // counts tiles of keys and values, over all tiles of queries

  if (group == 0) {
    give_registers_up<24>();
    if (thread != 0) return;
    for (int n = 0; work.next(); ++n) {
      await(&read[n % 2], n / 2 % 2 ^ 1);
      copy_rows<WIDTH, BM>(queries + n % 2 * BM * WIDTH, Q, work.row0, work.head, &there[n % 2]);
      for (const int end = i + 2 * tiles_of(work), start = i; i < end; ++i) {
        const int place = i % PLACES;
        await(&empty[place], i / PLACES % 2 ^ 1);
        copy_rows<WIDTH, BN>(places + place * BN * WIDTH, (i - start) % 2 == 0 ? K : V, (i - start) / 2 * BN,
                             work.head, &full[place]);
      }
    }
    return;
  }

  take_registers<240>();
  const int mine = (group - 1) * 64, other = 3 - group;
  if (group == 2) give_turn(1);  // the first warpgroup begins
  for (int n = 0; work.next(); ++n) {
    const Number *my_queries = queries + n % 2 * BM * WIDTH + mine * 64;
    const int row = work.row0 + mine + thread % 128 / 32 * 16 + thread % 32 / 4, tiles = tiles_of(work);
    const int seen = causal ? min(row + 1, length) : length,
              least = causal ? min(work.row0 + mine + 1, length) : length;
    float results[WIDTH / 2], scores[64], shrink[2];
    unsigned weights[32];
    Rows rows;
    const auto start_scores = [&](int place) {
#pragma unroll
      for (int c = 0; c < WIDTH; c += 16)
        multiply_keys(scores, factor_at(my_queries + c / 64 * BM * 64 + c % 64),
                      factor_at(places + place * BN * WIDTH + c / 64 * BN * 64 + c % 64), c > 0);
      wgmma_commit();
    };
    const auto start_results = [&](int place) {
#pragma unroll
      for (int k = 0; k < BN; k += 16)
        multiply_values(results, weights + k / 4,
                        factor_at(places + place * BN * WIDTH + k * 64, BN * 64 * sizeof(Number)));
      wgmma_commit();
    };
    const auto weigh = [&](int tile) {
      make_weights<WIDTH>(scores, rows, shrink, (tile + 1) * BN <= least, seen - 1 - tile * BN,
                          causal ? min(8, length - seen) : 0);
    };
    const auto leave = [&](Barrier *barrier) {
      if (thread % 128 == 0) arrive(barrier);
    };
#pragma unroll
    for (float &result : results) result = 0.0f;

    await(&there[n % 2], n / 2 % 2);
    await(&full[i % PLACES], i / PLACES % 2);
    wait_for_turn(group);
    wgmma_fence();
    start_scores(i % PLACES);
    give_turn(other);
    wgmma_wait(0);
    leave(&empty[i % PLACES]);
    weigh(0);
    pack_weights(weights, scores);
    for (int tile = 1; tile < tiles; ++tile, i += 2) {
      const int keys = (i + 2) % PLACES, values = (i + 1) % PLACES;
      await(&full[keys], (i + 2) / PLACES % 2);
      await(&full[values], (i + 1) / PLACES % 2);
      wait_for_turn(group);
      wgmma_fence();
      start_scores(keys);
      start_results(values);
      give_turn(other);
      wgmma_wait(1);  // the scores; the results of the last tile may still be under way
      leave(&empty[keys]);
      weigh(tile);
      wgmma_wait(0);
      leave(&empty[values]);
      shrink_results(results, shrink);
      pack_weights(weights, scores);
    }
    leave(&read[n % 2]);
    const int values = (i + 1) % PLACES;
    await(&full[values], (i + 1) / PLACES % 2);
    wgmma_fence();
    start_results(values);
    wgmma_wait(0);
    leave(&empty[values]);
    i += 2;
    store_results(O + std::int64_t{work.head} * length * WIDTH, row, length, rows, results);
  }
  if (group == 1) wait_for_turn(1);  // what the other warpgroup has given away last
}

void beyond2(int batch, int heads, int length, int width, int causal, const Number *Q, const Number *K,
             const Number *V, float *O) {
  const auto kernel = width == 64 ? attend_in_turns<64> : attend_in_turns<128>;
  const int all = batch * heads, tiles = ceil_div(length, BM);
  int multiprocessors = 1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = std::min(all * (causal ? (tiles + 1) / 2 : tiles), multiprocessors);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes(width));
  kernel<<<blocks, THREADS, shared_bytes(width)>>>(all, length, causal, map_of(Q, all, length, width, BM),
                                                   map_of(K, all, length, width, BN),
                                                   map_of(V, all, length, width, BN), O);
}
