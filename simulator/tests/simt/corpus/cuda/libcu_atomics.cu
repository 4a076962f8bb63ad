// warpgrade corpus; 2 blocks of 64 threads; input 335; output 3584 bytes
#include <cuda/atomic>
#include "corpus.cuh"
__device__ unsigned done;
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ unsigned words[64];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
  const unsigned i = threadIdx.x;
  words[i] = c;
  if (i == 0) count.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> mine(words[i]);
  rows.put(0, mine.fetch_add(a, cuda::memory_order_relaxed));
  unsigned expected = mine.load(cuda::memory_order_acquire);
  rows.put(1, mine.compare_exchange_strong(expected, b, cuda::memory_order_acq_rel));
  rows.put(2, mine.exchange(a, cuda::memory_order_release));
  rows.put(3, mine.fetch_max(b) + mine.fetch_and(c));
  rows.put(4, mine.load());
  count.fetch_add(1, cuda::memory_order_acq_rel);
  __syncthreads();
  rows.put(5, count.load());
  // The last block sees what the others wrote.
  __shared__ bool last;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (i == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(done);
    last = all.fetch_add(1) % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  rows.put(6, last || true);
}
