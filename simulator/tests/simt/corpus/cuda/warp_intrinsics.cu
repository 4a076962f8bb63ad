// warpgrade corpus; 2 blocks of 64 threads; input 320; output 11264 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  const unsigned all = 0xFFFFFFFF, lane = threadIdx.x % 32;
  int r = 0;
  rows.put(r++, __shfl_sync(all, a, static_cast<int>(b)));
  rows.put(r++, __shfl_sync(all, a, static_cast<int>(b & 31), 8));
  rows.put(r++, __shfl_up_sync(all, fa, 3));
  rows.put(r++, __shfl_down_sync(all, static_cast<int>(b), 5, 16));
  rows.put(r++, __shfl_xor_sync(all, c, 9));
  rows.put(r, __shfl_xor_sync(all, ga, 17)), r += 2;
  rows.put(r, __shfl_down_sync(all, static_cast<long long>(a) * b, 1)), r += 2;
  rows.put(r++, __ballot_sync(all, a > b));
  rows.put(r++, __any_sync(all, a == 0) + 2 * __all_sync(all, a != 12345));
  rows.put(r++, __match_any_sync(all, a & 3));
  int same;
  rows.put(r++, __match_all_sync(all, static_cast<unsigned long long>(blockIdx.x), &same));
  rows.put(r++, same);
  rows.put(r++, __reduce_add_sync(all, a));
  rows.put(r++, __reduce_min_sync(all, static_cast<int>(b)));
  rows.put(r++, __reduce_xor_sync(all, c));
  int sum = static_cast<int>(a);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(all, sum, step);
  rows.put(r++, sum);
  float scan = ordinary(b);
  for (unsigned step = 1; step < 32; step *= 2) {
    const float below = __shfl_up_sync(all, scan, step);
    if (lane >= step) scan += below;
  }
  rows.put(r++, scan);
  unsigned votes = 0;
  if (lane < 20) votes = __ballot_sync(0x000FFFFF, a & 1);
  else votes = __shfl_sync(0xFFF00000, b, 25);
  __syncwarp();
  rows.put(r++, votes);
  rows.put(r++, __syncthreads_count(a & 1) + 1000 * __syncthreads_or(a == 7) + 2000 * __syncthreads_and(a != 7));
  rows.put(r++, __activemask());
}
