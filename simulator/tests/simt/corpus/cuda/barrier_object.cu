// warpgrade corpus; 2 blocks of 64 threads; input 333; output 2048 bytes
#include <cooperative_groups.h>
#include <cuda/barrier>
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  __shared__ unsigned values[64];
  __shared__ alignas(16) unsigned copied[256];
  const unsigned i = threadIdx.x;
  if (i == 0) init(&barrier, blockDim.x);
  __syncthreads();
  values[i] = a;
  barrier.arrive_and_wait();
  rows.put(0, values[63 - i]);
  auto token = barrier.arrive();
  const unsigned meanwhile = a * 3;
  barrier.wait(std::move(token));
  values[i] = meanwhile;
  barrier.arrive_and_wait();
  rows.put(1, values[i ^ 33]);
  cuda::memcpy_async(&copied[4 * i], in + 4 * i, cuda::aligned_size_t<16>(16), barrier);
  barrier.arrive_and_wait();
  rows.put(2, copied[(7 * i) & 255]);
  if (i >= 32) barrier.arrive_and_drop();
  else {
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
  }
  rows.put(3, i);
}
