// The fast checks of shared and global memory's shadow. Each says whether an access needs a closer look; if so,
// access_slowly handles it, before anything has changed.
#pragma once

#include "machine/hot/scattered.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {

// Shared memory's cells. `me` is the cell of lane 0 now, with this instruction's site.

// Written with & and | instead of && and ||, so that the loops over lanes become vector code.

/// Not 0 if a read after this writer needs a closer look.
[[gnu::always_inline]] inline u64 suspicious_read(u64 writer, u64 mine, u64 hazards, u64 block, u64 epoch) {
  const u64 other = (writer ^ mine) & hazards;
  return (writer < block ? 1 : 0) | (writer >= epoch ? other : 0);
}
[[gnu::always_inline]] inline u64 suspicious_write(u64 cell, u64 mine, u64 hazards, u64 epoch) {
  const u64 other = (cell ^ mine) & hazards;
  return cell >= epoch ? other : 0;
}

/// Calls visit(cell, lane) for every shadow word that the lanes access, counted from the lowest address.
/// lane_bytes: of one lane; shift: log2 of the bytes of a shadow word, none larger than the access or 4 bytes.
template <class Visit>
[[gnu::always_inline]] inline void for_cells(const Pattern &state, const Context &context, u32 lane_bytes,
                                             u32 shift, const Visit &visit) {
  if (state.shape == Pattern::Shape::consecutive && context.mask == full_mask) {
    const u32 cells = 32 * lane_bytes >> shift;
    const u32 lane_shift = static_cast<u32>(__builtin_ctz(lane_bytes)) - shift;
#pragma GCC ivdep
    for (u32 i = 0; i < cells; ++i) visit(i, i >> lane_shift, false);
    return;
  }
  const u32 unit = (lane_bytes < 4 ? lane_bytes : 4) >> shift;
  for (u32 k = 0; k < state.words; ++k)
    for (u32 c = 0; c < unit; ++c)
      visit(state.word[k].word * unit + c, state.word[k].lane, state.word[k].many);
}

// Where warps synchronize without the whole block, through mbarriers or flags, a warp has a clock for each of
// the others (Context::seen).

/// Not 0 unless a writer's access is known to have come first, or is the thread's own.
[[gnu::always_inline]] inline u64 unknown_writer(u64 writer, u64 mine, const Context &context) {
  const u64 copied = writer & writer_pending, differs = (writer ^ mine) & cell_thread;
  const u64 who = copied != 0 ? 32 + (writer & 31) : (writer & cell_warp) >> 5;
  const u64 synced = ((differs & cell_warp) == 0) & (writer < context.warp_cell);
  const u64 own = (copied == 0) & ((differs == 0) | synced);
  return (own | (writer < context.epoch_cell) | (writer >> 32 < context.seen[who])) ^ 1;
}
/// The same for a reader. Of several warps, the named one is checked.
[[gnu::always_inline]] inline u64 unknown_reader(u64 reader, u64 mine, u64 hazards, const Context &context) {
  const u64 differs = reader ^ mine;
  const u64 synced = ((differs & (cell_warp | reader_many_warps)) == 0) & (reader < context.warp_cell);
  const u64 old = (reader < context.epoch_cell) | (reader >> 32 < context.seen[(reader & cell_warp) >> 5]);
  return ((differs & hazards) != 0) & ((synced | old) ^ 1);
}

[[gnu::noinline]] inline bool writers_are_known(const Pattern &pattern, const Context &context, u64 low,
                                                u64 me, u32 lane_bytes) {
  if (!context.seen) return false;
  const u32 shift = context.shared_shift;
  const u64 *const writers = context.writers + (low >> shift);
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    const u64 writer = writers[cell];
    bad |= (writer < context.block_cell ? 1 : 0) | (writer & writer_atomic) |
           unknown_writer(writer, me + lane, context) |
           (several & (writer >= context.epoch_cell) & (writer >= context.warp_cell) &
            (((writer ^ me) & cell_warp) == 0));
  });
  return bad == 0;
}

/// check_store for a warp that has acquired others' accesses.
[[gnu::noinline]] inline bool check_known_store(const Pattern &pattern, Context &context, u64 low, u64 me,
                                                u32 lane_bytes) {
  if (!context.seen || pattern.duplicates) return false;
  const u32 shift = context.shared_shift;
  u64 *const writers = context.writers + (low >> shift);
  const u64 *const readers = context.readers + (low >> shift);
  const u64 *const earlier = context.earlier_readers + (low >> shift);
  const u64 hazards = context.write_hazards;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 writer = writers[cell];
    bad |= (writer & writer_atomic) | unknown_writer(writer, me + lane, context) |
           unknown_reader(readers[cell], me + lane, hazards, context) |
           unknown_reader(earlier[cell], me + lane, cell_thread, context);
  });
  if (bad) return false;
  for_cells(pattern, context, lane_bytes, shift,
            [&](u32 cell, u32 lane, bool) { writers[cell] = me + lane; });
  return true;
}

/// The checks of check_load, for shadow words of any size.
[[gnu::noinline]] inline bool writers_are_fine(const Pattern &pattern, const Context &context, u64 low,
                                               u64 me, u32 lane_bytes) {
  const u32 shift = context.shared_shift;
  const u64 *const writers = context.writers + (low >> shift);
  const u64 block = context.block_cell, epoch = context.epoch_cell;
  const u64 hazards = context.read_hazards;
  const bool lanes_matter = (hazards & cell_thread) != (hazards & cell_warp);
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    // Of several lanes the named one may have written the word; then the others need the closer look.
    bad |= suspicious_read(writers[cell], me + lane, hazards, block, epoch) |
           (several & lanes_matter & (writers[cell] >= epoch));
  });
  return bad == 0 || writers_are_known(pattern, context, low, me, lane_bytes);
}

[[gnu::always_inline]] inline void note_read(SharedRange &range, const Op &op, u64 low, u64 high, u64 me) {
  range.log[range.reads++] = {me, static_cast<u32>(low), op.pattern};
  if (low < range.read_begin) range.read_begin = low;
  if (high > range.read_end) range.read_end = high;
}

/// False if a read of shared memory needs a closer look. Enters it in the log, from which it moves to the
/// readers' shadow words once a store needs them; in most kernels, none does.
inline bool check_load(SharedRange &range, const Pattern &pattern, const Op &op, Context &context, u64 low,
                       u64 me, u32 lane_bytes) {
  const u64 high = low + pattern.span;
  if (__builtin_expect(!range.initialized || (low < range.written_end && high > range.written_begin), 0)) {
    if (!range.initialized && range.stored >= (range.end - range.begin) / 4) look_for_holes(context, range);
    if (!writers_are_fine(pattern, context, low, me, lane_bytes)) return false;
  }
  if (context.epoch_cell == ~u64{0}) return true;
  if (&pattern == context.scattered) {
    note_scattered_read(context, range, me, low);
    return true;
  }
  if (__builtin_expect(range.reads == range.room, 0)) make_room(context, range);
  note_read(range, op, low, high, me);
  return true;
}

inline void mark_store(SharedRange &range, const Pattern &pattern, u64 low) {
  const u64 high = low + pattern.span;
  if (low < range.written_begin) range.written_begin = low;
  if (high > range.written_end) range.written_end = high;
  range.stored += pattern.words;
}

/// check_store for shadow words below 4 bytes.
[[gnu::noinline]] inline bool check_fine_store(const Pattern &pattern, Context &context, u64 low, u64 me,
                                               u32 lane_bytes) {
  if (pattern.duplicates) return false;
  const u32 shift = context.shared_shift;
  u64 *const writers = context.writers + (low >> shift);
  const u64 *const readers = context.readers + (low >> shift);
  const u64 epoch = context.epoch_cell, hazards = context.write_hazards;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    bad |= suspicious_write(writers[cell], me + lane, hazards, epoch) |
           suspicious_write(readers[cell], me + lane, hazards, epoch);
  });
  if (bad) return false;
  for_cells(pattern, context, lane_bytes, shift,
            [&](u32 cell, u32 lane, bool) { writers[cell] = me + lane; });
  return true;
}

// Global memory's shadow words: 0 not accessed; below known_cell ordered before all that the block does now; below
// block_start another block's.

/// Not 0 unless an atomic or strong access is known to have come before: in this block, before a barrier, or in any.
[[gnu::always_inline]] inline u64 suspicious_strong(u64 cell, u64 known, u64 block, u64 epoch) {
  return (cell >= known) & ((cell < block) | (cell >= epoch) | ((cell & reader_other_blocks) != 0));
}
[[gnu::noinline]] inline bool strong_are_fine(const u64 *cells, const Pattern &pattern,
                                              const Context &context, u32 lane_bytes) {
  const u64 known = context.known_cell, block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, context.global_shift,
            [&](u32 cell, u32, bool) { bad |= suspicious_strong(cells[cell], known, block, epoch); });
  return bad == 0;
}

/// The pieces of the shadow that an access changes; at: of the first byte, from the beginning of the range.
[[gnu::always_inline]] inline void touch_pieces(const SiteState &state, const Pattern &pattern,
                                                const Context &context, u64 at, u32 lane_bytes) {
  const u32 shift = context.global_shift;
  const u64 cell = at >> shift, first = cell >> piece_shift,
            last = (at + pattern.span - 1) >> shift >> piece_shift;
  u8 *const touched = state.watch_touched;
  if (last - first < 4) {
    for (u64 piece = first; piece <= last; ++piece) touched[piece] = 1;
    return;
  }
  for_cells(pattern, context, lane_bytes, shift,
            [&](u32 more, u32, bool) { touched[(cell + more) >> piece_shift] = 1; });
}

/// False if the access needs a closer look.
[[gnu::noinline]] inline bool watch_load(const SiteState &state, Pattern &pattern, const Op &op,
                                         Context &context, u64 at, u64 me, u32 lane_bytes) {
  if (pattern.words == 0) {
    if (&pattern == context.scattered)
      find_words(pattern, context, lane_bytes);
    else
      learn_words(pattern, site_of(op, context));
  }
  const u32 shift = context.global_shift;
  const u64 *const writers = state.watch_writers + (at >> shift);
  u64 *const readers = state.watch_readers + (at >> shift);
  u64 *const earlier = state.watch_earlier + (at >> shift);
  const u64 known = context.known_cell, block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    const u64 writer = writers[cell], other = (writer ^ (me + lane)) & cell_thread;
    bad |= ((writer >= known) & (writer < block)) | ((writer >= epoch) & (other != 0));
    // Of several lanes the careful form keeps two by name, once.
    bad |=
        several & ((writer >= epoch) | (readers[cell] < epoch) | ((readers[cell] & reader_many_lanes) == 0));
  });
  if (bad) return false;
  if (state.watch_strong &&
      !strong_are_fine(state.watch_strong + (at >> shift), pattern, context, lane_bytes))
    return false;
  touch_pieces(state, pattern, context, at, lane_bytes);
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    const u64 found = readers[cell], old = found >= known ? found : 0, mine = me + lane;
    const u64 other_block = (old != 0) & (old < block), differs = (old ^ mine) & cell_thread;
    const u64 many =
        ((differs & cell_warp) != 0 ? reader_many_warps : 0) | (differs != 0 ? reader_many_lanes : 0);
    const u64 kept = old >= epoch ? (old & (reader_many_warps | reader_many_lanes)) | many : 0;
    if (other_block | ((differs != 0) & (old >= epoch))) {
      const u64 before = earlier[cell];  // a block that is named already stays so
      const bool keeps = !other_block & ((old & reader_other_blocks) != 0) & (before != 0) & (before < block);
      if (!keeps) earlier[cell] = old;
    }
    readers[cell] = mine | (old & reader_other_blocks) | (other_block ? reader_other_blocks : 0) | kept |
                    (several ? reader_many_lanes : 0);
  });
  return true;
}

[[gnu::noinline]] inline bool watch_store(const SiteState &state, Pattern &pattern, const Op &op,
                                          Context &context, u64 at, u64 me, u32 lane_bytes) {
  if (pattern.words == 0) {
    if (&pattern == context.scattered)
      find_words(pattern, context, lane_bytes);
    else
      learn_words(pattern, site_of(op, context));
  }
  if (pattern.duplicates) return false;
  const u32 shift = context.global_shift;
  u64 *const writers = state.watch_writers + (at >> shift);
  const u64 *const readers = state.watch_readers + (at >> shift);
  const u64 known = context.known_cell, block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 writer = writers[cell], reader = readers[cell], mine = me + lane;
    bad |=
        ((writer >= known) & (writer < block)) | ((writer >= epoch) & (((writer ^ mine) & cell_thread) != 0));
    bad |= ((reader >= known) & ((reader < block) | ((reader & reader_other_blocks) != 0))) |
           ((reader >= epoch) &
            (((reader ^ mine) & (cell_thread | reader_many_warps | reader_many_lanes)) != 0));
  });
  if (bad) return false;
  if (state.watch_strong &&
      (!strong_are_fine(state.watch_strong + (at >> shift), pattern, context, lane_bytes) ||
       !strong_are_fine(state.watch_strong_readers + (at >> shift), pattern, context, lane_bytes)))
    return false;
  touch_pieces(state, pattern, context, at, lane_bytes);
  for_cells(pattern, context, lane_bytes, shift,
            [&](u32 cell, u32 lane, bool) { writers[cell] = me + lane; });
  return true;
}

template <int words>
inline bool check_store(const Pattern &state, Context &context, u64 low, u64 me) {
  u64 *writers = context.writers + low / 4;
  const u64 *readers = context.readers + low / 4;
  const u64 epoch = context.epoch_cell, hazards = context.write_hazards;
  if (state.duplicates) return false;
  if (state.shape == Pattern::Shape::consecutive && context.mask == full_mask) {
    u64 bad = 0;
    for (int i = 0; i < 32 * words; ++i) {
      const u64 mine = me + static_cast<u64>(i / words);
      bad |= suspicious_write(writers[i], mine, hazards, epoch) |
             suspicious_write(readers[i], mine, hazards, epoch);
    }
    if (bad) return false;
    for (int i = 0; i < 32 * words; ++i) writers[i] = me + static_cast<u64>(i / words);
    return true;
  }
  for (u32 k = 0; k < state.words; ++k) {
    const u64 mine = me + state.word[k].lane;
    if (suspicious_write(writers[state.word[k].word], mine, hazards, epoch) |
        suspicious_write(readers[state.word[k].word], mine, hazards, epoch))
      return false;
  }
  for (u32 k = 0; k < state.words; ++k) writers[state.word[k].word] = me + state.word[k].lane;
  return true;
}

// Global memory that has not been written completely.

/// Whether all bytes that the lanes ask for were written; `at`: from the beginning of the range.
template <u32 lane_bytes>
[[gnu::noinline]] bool is_written(const SiteState &state, const Pattern &pattern, u64 at) {
  const u8 *const written = state.written + at;
  if (pattern.contiguous) {
    u8 lacking = 0;
    for (u64 i = 0; i < pattern.span; ++i) lacking |= static_cast<u8>(written[i] ^ 1);
    return lacking == 0;
  }
  u8 lacking = 0;
  for (u32 rest = pattern.mask; rest; rest &= rest - 1) {
    const u8 *const own = written + pattern.offset[__builtin_ctz(rest)];
    for (u32 i = 0; i < lane_bytes; ++i) lacking |= static_cast<u8>(own[i] ^ 1);
  }
  return lacking == 0;
}

template <u32 lane_bytes>
[[gnu::noinline]] void mark_as_written(const SiteState &state, const Pattern &pattern, u64 at) {
  u8 *const written = state.written + at;
  if (pattern.contiguous) {
    for (u64 i = 0; i < pattern.span; ++i) written[i] = 1;
    return;
  }
  for (u32 rest = pattern.mask; rest; rest &= rest - 1)
    for (u32 i = 0; i < lane_bytes; ++i) written[pattern.offset[__builtin_ctz(rest)] + i] = 1;
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
