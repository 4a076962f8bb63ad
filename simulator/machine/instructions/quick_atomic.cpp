// The quick way of atomics: one lane, in a range that was found before, where no check has anything to say.
// It leaves the same state in the shadow as check_shared and check_global.
#include "machine/instructions/quick_atomic.hpp"

#include "machine/block_run.hpp"

namespace warpgrade::simt {
namespace {

/// Not accessed so far, or only by this block before its last barrier.
bool is_past(std::uint64_t cell, const Context &context) {
  return cell == 0 ||
         (cell >= context.block_start && cell < context.epoch_cell && (cell & reader_other_blocks) == 0);
}

/// The shadow word of atomics without a result: as Check::enter makes it where fences order nothing.
std::uint64_t joined(std::uint64_t old, std::uint64_t me, const Context &context) {
  if (old == 0) return me;
  if (old < context.block_start) return me | reader_other_blocks;
  std::uint64_t flags = old & reader_other_blocks;
  if (old >= context.epoch_cell) {
    const bool other_warp = ((old ^ me) & cell_warp) != 0, other_lane = ((old ^ me) & cell_thread) != 0;
    flags |= old & (reader_many_lanes | reader_many_warps);
    if (old < context.warp_cell) flags &= ~reader_many_lanes;
    if (other_warp) flags |= reader_many_warps;
    if (other_lane && (other_warp || old >= context.warp_cell)) flags |= reader_many_lanes;
  }
  return me | flags;
}

bool find_global(SiteState &state, BlockRun &run, std::uint64_t low, std::uint64_t high) {
  Allocation *const found = run.launch.memory->find(low, high);
  if (!found || !found->live || !found->writable || !run.launch.reaches(*found)) return false;
  Watched *const watched = run.watched(*found, true);
  if (watched && run.context.epoch_cell != UINT64_MAX) run.strengthen(*watched);
  state.begin = found->begin;
  state.end = found->end();
  state.host = found->data.get();
  state.written = found->valid.get();
  state.watch_writers = watched ? watched->writers.get() : nullptr;
  state.watch_readers = watched ? watched->readers.get() : nullptr;
  state.watch_strong = watched ? watched->strong.get() : nullptr;
  state.watch_touched = watched ? watched->touched.data() : nullptr;
  run.tally().begin_atomics(state, *found);
  return true;
}

std::byte *enter_global(const Op &op, const Site &site, Context &context, std::uint32_t lane,
                        std::uint64_t address) {
  BlockRun &run = *context.run;
  SiteState &state = context.sites[op.site];
  const std::uint32_t bytes = site.bytes;
  if (run.order.global.tracked() || run.program.orders_warps || run.program.narrow_scopes ||
      run.launch.together)
    return nullptr;
  if (address % std::max<std::uint32_t>(bytes, site.alignment) != 0 || address + bytes < address)
    return nullptr;
  if ((address < state.begin || address + bytes > state.end) &&
      !find_global(state, run, address, address + bytes))
    return nullptr;
  const std::uint64_t at = address - state.begin;
  if (state.written)
    for (std::uint32_t i = 0; i < bytes; ++i)
      if (state.written[at + i] != 1) return nullptr;
  if (state.watch_writers && context.epoch_cell != UINT64_MAX) {
    if (!state.watch_strong) return nullptr;
    const std::uint32_t shift = context.global_shift;
    const std::uint64_t first = at >> shift, last = (at + bytes - 1) >> shift;
    for (std::uint64_t i = first; i <= last; ++i)
      if (!is_past(state.watch_writers[i], context) || !is_past(state.watch_readers[i], context))
        return nullptr;
    const std::uint64_t me = context.now_cell | std::uint64_t{op.site} << 12 | lane;
    for (std::uint64_t i = first; i <= last; ++i) {
      state.watch_touched[i >> piece_shift] = 1;
      state.watch_strong[i] =
          site.action == Site::Action::atomic ? me : joined(state.watch_strong[i], me, context);
    }
  }
  if (address < state.seen_begin || address + bytes > state.seen_end)
    run.tally().widen(state, address, address + bytes);
  const std::uint64_t sector = (address - state.sector_begin) >> 5;
  state.sector_bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
  ++run.count(site).global_atomics;
  return state.host + at;
}

std::byte *enter_shared(const Op &op, const Site &site, Context &context, std::uint32_t lane,
                        std::uint64_t offset) {
  SiteState &state = context.sites[op.site];
  const std::uint32_t bytes = site.bytes;
  if (context.run->program.orders_warps || offset % bytes != 0) return nullptr;
  if ((offset < state.begin || offset + bytes > state.end) &&
      !find_range(state, site, context, offset, offset + bytes))
    return nullptr;
  if (!context.writers) return context.shared + offset;
  SharedRange &range = *state.range;
  if (range.reads != 0 && offset < range.read_end && offset + bytes > range.read_begin)
    flush_reads(context, range);
  const std::uint32_t shift = context.shared_shift;
  const std::uint64_t first = offset >> shift, last = (offset + bytes - 1) >> shift;
  for (std::uint64_t i = first; i <= last; ++i) {
    const std::uint64_t writer = context.writers[i];
    if (writer < context.block_cell || (writer & writer_pending) != 0 ||
        ((writer & writer_atomic) == 0 && writer >= context.epoch_cell) ||
        context.readers[i] >= context.epoch_cell)
      return nullptr;
  }
  const std::uint64_t me = context.now_cell | std::uint64_t{op.site} << 12 | lane | writer_atomic;
  for (std::uint64_t i = first; i <= last; ++i) {
    const std::uint64_t old = context.writers[i];
    const bool several = old >= context.epoch_cell && (old & writer_atomic) != 0 &&
                         ((old & writer_many_warps) != 0 || ((old ^ me) & cell_warp) != 0);
    context.writers[i] = me | (several ? writer_many_warps : 0);
  }
  range.written_begin = std::min(range.written_begin, offset);
  range.written_end = std::max(range.written_end, offset + bytes);
  range.stored += (bytes + 3) / 4;
  return context.shared + offset;
}

}  // namespace

std::byte *enter_quickly(const Op &op, const Site &site, Context &context, std::uint32_t lane,
                         std::uint64_t address) {
  return site.space == ptx::Space::shared ? enter_shared(op, site, context, lane, address)
                                          : enter_global(op, site, context, lane, address);
}

}  // namespace warpgrade::simt
