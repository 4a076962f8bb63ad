// warpgrade corpus; 2 blocks of 64 threads; input 321; output 8704 bytes
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "corpus.cuh"
namespace cg = cooperative_groups;
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(block);
  rows.put(r++, cg::reduce(warp, a, cg::plus<unsigned>()));
  rows.put(r++, cg::reduce(tile, static_cast<int>(b), cg::less<int>()));
  rows.put(r++, cg::reduce(tile, ordinary(c), cg::plus<float>()));
  rows.put(r++, cg::inclusive_scan(tile, a & 0xFFFF, cg::plus<unsigned>()));
  rows.put(r++, cg::exclusive_scan(warp, b & 0xFF));
  rows.put(r++, tile.shfl(a, static_cast<int>(b & 7)) + tile.meta_group_rank() + tile.thread_rank());
  rows.put(r++, tile.ballot(a & 2) + 256 * tile.any(b & 4) + 512 * tile.all(c & 1));
  rows.put(r++, warp.match_any(a & 7));
  block.sync();
  if (a & 1) {
    auto active = cg::coalesced_threads();
    rows.put(r, active.thread_rank() + 100 * active.size());
    rows.put(r + 1, active.shfl(b, 0));
    rows.put(r + 2, cg::reduce(active, c, cg::bit_xor<unsigned>()));
  } else {
    rows.put(r, 0), rows.put(r + 1, 0), rows.put(r + 2, 0);
  }
  r += 3;
  auto parts = cg::labeled_partition(cg::coalesced_threads(), b & 3);
  rows.put(r++, parts.size() + 100 * parts.thread_rank());
  auto halves = cg::binary_partition(cg::coalesced_threads(), (a & 4) != 0);
  rows.put(r++, halves.size());
  rows.put(r++, block.thread_rank() + 1000 * block.size() + block.group_index().x);
  __shared__ unsigned total;
  cg::invoke_one(block, [&] { total = 5; });
  block.sync();
  rows.put(r++, total);
  rows.put(r++, cg::this_grid().thread_rank());
}
