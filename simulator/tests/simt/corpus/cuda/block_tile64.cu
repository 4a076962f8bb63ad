// warpgrade corpus; 2 blocks of 64 threads; input 322; output 2048 bytes
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "corpus.cuh"
namespace cg = cooperative_groups;
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  __shared__ cg::block_tile_memory<64> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  rows.put(0, cg::reduce(tile, a, cg::plus<unsigned>()));
  rows.put(1, tile.shfl(b, 40));
  rows.put(2, tile.any(a == 0));
  tile.sync();
  rows.put(3, tile.thread_rank());
}
