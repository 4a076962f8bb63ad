// warpgrade corpus; 2 blocks of 64 threads; input 332; output 2048 bytes
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include "corpus.cuh"
namespace cg = cooperative_groups;
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ alignas(16) unsigned buffer[2][256];
  const unsigned i = threadIdx.x;
  __pipeline_memcpy_async(&buffer[0][4 * i], in + 256 * blockIdx.x + 4 * i, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&buffer[1][2 * i], in + 1024 + 2 * i, 8);
  __pipeline_memcpy_async(&buffer[1][128 + i], in + 2048 + i, 4, 2);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  rows.put(0, buffer[0][255 - i]);
  __pipeline_wait_prior(0);
  __syncthreads();
  rows.put(1, buffer[1][(5 * i) & 127]);
  rows.put(2, buffer[1][191 - i]);
  auto block = cg::this_thread_block();
  block.sync();
  cg::memcpy_async(block, buffer[0], in + 3000, sizeof(unsigned) * 200);
  cg::wait(block);
  rows.put(3, buffer[0][3 * i]);
}
