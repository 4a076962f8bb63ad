// warpgrade corpus; 2 blocks of 64 threads; input 334; output 1024 bytes
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  namespace cg = cooperative_groups;
  auto block = cg::this_thread_block();
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) unsigned stage[2][64];
  auto pipeline = cuda::make_pipeline(block, &state);
  unsigned sum = 0;
  pipeline.producer_acquire();
  cuda::memcpy_async(block, stage[0], in, sizeof(unsigned) * 64, pipeline);
  pipeline.producer_commit();
  for (unsigned step = 1; step < 8; ++step) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, stage[step & 1], in + 64 * step, sizeof(unsigned) * 64, pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    sum = sum * 31 + stage[(step - 1) & 1][(threadIdx.x * 5) & 63];
    block.sync();
    pipeline.consumer_release();
  }
  pipeline.consumer_wait();
  sum = sum * 31 + stage[1][threadIdx.x];
  pipeline.consumer_release();
  rows.put(0, sum);
  auto alone = cuda::make_pipeline();
  alone.producer_acquire();
  cuda::memcpy_async(&stage[0][threadIdx.x], in + 500 + threadIdx.x, sizeof(unsigned), alone);
  alone.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(alone);
  rows.put(1, stage[0][threadIdx.x]);
  alone.consumer_release();
}
