// Loads and stores in global and shared memory, the fast way: the lane pattern is the one of
// last time, all lanes stay in one range, and nobody else touched the words since the last barrier.
// Everything else goes to access_slowly, before anything was changed.
#include "simt/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

/// Whether the active lanes lie to each other as in the state's pattern.
template <class Address>
inline bool same_pattern(const SiteState &state, const Context &context, const Address *address,
                         Address first) {
  if (state.mask != context.mask) return false;
  u64 difference = 0;
  if (context.mask == full_mask) {
    for (int i = 0; i < 32; ++i) difference |= u64{static_cast<Address>(address[i] - first)} ^ state.delta[i];
  } else {
    for (int i = 0; i < 32; ++i)
      difference |= (u64{static_cast<Address>(address[i] - first)} ^ state.delta[i]) &
                    static_cast<u64>(static_cast<s64>(static_cast<s32>(context.lanes[i])));
  }
  return difference == 0;
}

[[gnu::noinline]] void learn(SiteState &state, const Op &op, const Context &context, const u64 *address) {
  learn_pattern(state, site_of(op, const_cast<Context &>(context)), address, context.mask);
}
template <class Address>
[[gnu::noinline]] void learn_from(SiteState &state, const Op &op, const Context &context,
                                  const Address *address) {
  u64 wide[32];
  for (int i = 0; i < 32; ++i)
    wide[i] = static_cast<Address>(address[i] + static_cast<Address>(op.immediate));
  learn(state, op, context, wide);
}

/// Lowest address of the access if it may go the fast way, else ~0.
template <class Address, unsigned bytes>
inline u64 find_low(SiteState &state, const Op &op, Context &context) {
  const Address *address = row<Address>(context, op.a);
  const Address first = address[__builtin_ctz(context.mask)];
  if (__builtin_expect(!same_pattern(state, context, address, first), 0))
    learn_from(state, op, context, address);
  const u64 low = static_cast<Address>(first + static_cast<Address>(op.immediate) +
                                       static_cast<Address>(state.min_delta));
  const u64 high = low + state.span;
  if (__builtin_expect(((low | state.low_bits) & (bytes - 1)) != 0, 0)) return ~u64{0};
  if (__builtin_expect(low < state.begin || high > state.end || high < low, 0))
    if (!find_range(state, site_of(op, context), context, low, high)) return ~u64{0};
  return low;
}

/// The lane of a register that holds a T: narrow values are extended to 32 bits.
template <class T>
struct LaneOf {
  using Type = T;
};
template <>
struct LaneOf<u16> {
  using Type = u32;
};
template <>
struct LaneOf<s16> {
  using Type = s32;
};
template <>
struct LaneOf<u8> {
  using Type = u32;
};
template <>
struct LaneOf<s8> {
  using Type = s32;
};

template <class T, int count>
inline void load_values(const SiteState &state, Context &context, const std::byte *from, const Ref *rows) {
  using Lane = typename LaneOf<T>::Type;
  if (context.mask == full_mask && state.shape == SiteState::Shape::consecutive) {
    const T *p = reinterpret_cast<const T *>(from);
    for (int e = 0; e < count; ++e) {
      Lane *d = row_out<Lane>(context, rows[e]);
      for (int i = 0; i < 32; ++i) d[i] = p[i * count + e];
    }
  } else if (context.mask == full_mask && state.shape == SiteState::Shape::uniform) {
    for (int e = 0; e < count; ++e) {
      Lane *d = row_out<Lane>(context, rows[e]);
      const Lane value = reinterpret_cast<const T *>(from)[e];
      for (int i = 0; i < 32; ++i) d[i] = value;
    }
  } else if (context.mask == full_mask) {
    for (int e = 0; e < count; ++e) {
      Lane *d = row_out<Lane>(context, rows[e]);
      const std::byte *p = from + e * sizeof(T);
      for (int i = 0; i < 32; ++i) d[i] = *reinterpret_cast<const T *>(p + state.offset[i]);
    }
  } else {
    for (u32 mask = context.mask; mask; mask &= mask - 1) {
      const int i = __builtin_ctz(mask);
      const T *p = reinterpret_cast<const T *>(from + state.offset[i]);
      for (int e = 0; e < count; ++e) row_out<Lane>(context, rows[e])[i] = p[e];
    }
  }
}

template <class T, int count>
inline void store_values(const SiteState &state, Context &context, std::byte *to, const Ref *rows) {
  using Lane = typename LaneOf<T>::Type;
  if (context.mask == full_mask && state.shape == SiteState::Shape::consecutive) {
    T *p = reinterpret_cast<T *>(to);
    for (int e = 0; e < count; ++e) {
      const Lane *v = row<Lane>(context, rows[e]);
      for (int i = 0; i < 32; ++i) p[i * count + e] = static_cast<T>(v[i]);
    }
    return;
  }
  for (u32 mask = context.mask; mask; mask &= mask - 1) {
    const int i = __builtin_ctz(mask);
    T *p = reinterpret_cast<T *>(to + state.offset[i]);
    for (int e = 0; e < count; ++e) p[e] = static_cast<T>(row<Lane>(context, rows[e])[i]);
  }
}

inline void count_global(SiteState &state, const Op &op, Context &context, u64 low) {
  u32 sectors = state.sectors[low & 31];
  if (__builtin_expect(sectors == 0, 0)) sectors = count_sectors(state, site_of(op, context), low & 31);
  state.requests += 1;
  state.sector_sum += sectors;
  state.byte_sum += state.bytes;
  state.used_sum += state.used_bytes;
}
inline void count_shared(SiteState &state) {
  state.shared_requests += 1;
  state.wavefront_sum += state.wavefronts;
  state.conflict_sum += state.conflicts;
  state.compiled_wavefront_sum += state.compiled_wavefronts;
  state.compiled_conflict_sum += state.compiled_conflicts;
  state.shared_byte_sum += state.bytes;
}

// Shared memory's cells. `me` is the cell of lane 0 now, with this instruction's site.

// Written with & and | instead of && and ||, so that the loops over lanes become vector code.

/// The reader's cell after a read by `mine`, given the one before.
[[gnu::always_inline]] inline u64 read_cell(u64 old, u64 mine, u64 epoch, u64 warp_sync) {
  const u64 difference = old ^ mine;
  const u64 other = (difference & cell_thread) != 0 ? reader_many_lanes : 0;
  const u64 other_warp = (difference & cell_warp) != 0 ? reader_many_warps : 0;
  const u64 flags = (old & (reader_many_lanes | reader_many_warps)) | other | other_warp;
  const bool before_sync = (old < warp_sync) & (other_warp == 0) & ((old & reader_many_warps) == 0);
  return (old < epoch) | before_sync ? mine : mine | flags;
}
/// Not 0 if a read after this writer needs a closer look.
[[gnu::always_inline]] inline u64 suspicious_read(u64 writer, u64 mine, u64 hazards, u64 block, u64 epoch) {
  const u64 other = (writer ^ mine) & hazards;
  return (writer < block ? 1 : 0) | (writer >= epoch ? other : 0);
}
[[gnu::always_inline]] inline u64 suspicious_write(u64 cell, u64 mine, u64 hazards, u64 epoch) {
  const u64 other = (cell ^ mine) & hazards;
  return cell >= epoch ? other : 0;
}

/// Calls visit(cell, lane) for every cell that the lanes touch, counted from the one at the lowest address.
/// lane_bytes: of one lane; shift: log2 of the bytes of a cell, none larger than the access or 4 bytes.
template <class Visit>
[[gnu::always_inline]] inline void for_cells(const SiteState &state, const Context &context, u32 lane_bytes,
                                             u32 shift, const Visit &visit) {
  if (state.shape == SiteState::Shape::consecutive && context.mask == full_mask) {
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

/// check_load and check_store for cells below 4 bytes.
[[gnu::noinline]] bool check_fine_load(const SiteState &state, Context &context, u64 low, u64 me,
                                       u32 lane_bytes) {
  const u32 shift = context.shared_shift;
  const u64 *const writers = context.writers + (low >> shift);
  u64 *const readers = context.readers + (low >> shift);
  const u64 block = context.block_cell, epoch = context.epoch_cell, warp_sync = context.warp_cell;
  const u64 hazards = context.read_hazards;
  u64 bad = 0;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    bad |= suspicious_read(writers[cell], me + lane, hazards, block, epoch);
  });
  if (bad) return false;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool many) {
    readers[cell] = read_cell(readers[cell], me + lane, epoch, warp_sync) | (many ? reader_many_lanes : 0);
  });
  return true;
}

[[gnu::noinline]] bool check_fine_store(const SiteState &state, Context &context, u64 low, u64 me,
                                        u32 lane_bytes) {
  if (state.duplicates) return false;
  const u32 shift = context.shared_shift;
  u64 *const writers = context.writers + (low >> shift);
  const u64 *const readers = context.readers + (low >> shift);
  const u64 epoch = context.epoch_cell, hazards = context.write_hazards;
  u64 bad = 0;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    bad |= suspicious_write(writers[cell], me + lane, hazards, epoch) |
           suspicious_write(readers[cell], me + lane, hazards, epoch);
  });
  if (bad) return false;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) { writers[cell] = me + lane; });
  return true;
}

// Global memory's cells: 0 untouched, below block_start another block's.

/// False if the access needs a closer look.
[[gnu::noinline]] bool watch_load(SiteState &state, const Op &op, Context &context, u64 at, u64 me,
                                  u32 lane_bytes) {
  if (state.words == 0) learn_words(state, site_of(op, context));
  const u32 shift = context.global_shift;
  const u64 *const writers = state.watch_writers + (at >> shift);
  u64 *const readers = state.watch_readers + (at >> shift);
  const u64 block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 writer = writers[cell], other = (writer ^ (me + lane)) & cell_warp;
    bad |= ((writer != 0) & (writer < block)) | ((writer >= epoch) & (other != 0));
  });
  if (bad) return false;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 old = readers[cell], mine = me + lane;
    const u64 earlier = (old != 0) & (old < block) ? reader_other_blocks : 0;
    const u64 many = ((old ^ mine) & cell_warp) != 0 ? reader_many_warps : 0;
    const u64 kept = old >= epoch ? (old & reader_many_warps) | many : 0;
    readers[cell] = mine | (old & reader_other_blocks) | earlier | kept;
  });
  return true;
}

[[gnu::noinline]] bool watch_store(SiteState &state, const Op &op, Context &context, u64 at, u64 me,
                                   u32 lane_bytes) {
  if (state.words == 0) learn_words(state, site_of(op, context));
  const u32 shift = context.global_shift;
  u64 *const writers = state.watch_writers + (at >> shift);
  const u64 *const readers = state.watch_readers + (at >> shift);
  const u64 block = context.block_start, epoch = context.epoch_cell, hazards = context.global_hazards;
  u64 bad = 0;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 writer = writers[cell], reader = readers[cell], mine = me + lane;
    bad |= ((writer != 0) & (writer < block)) | ((writer >= epoch) & (((writer ^ mine) & cell_warp) != 0));
    bad |= ((reader != 0) & (reader < block)) | ((reader & hazards & reader_other_blocks) != 0) |
           ((reader >= epoch) & (((reader ^ mine) & (cell_warp | reader_many_warps)) != 0));
  });
  if (bad) return false;
  for_cells(state, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) { writers[cell] = me + lane; });
  return true;
}

template <int words>
inline bool check_load(const SiteState &state, Context &context, u64 low, u64 me) {
  const u64 *writers = context.writers + low / 4;
  u64 *readers = context.readers + low / 4;
  const u64 block = context.block_cell, epoch = context.epoch_cell, warp_sync = context.warp_cell;
  const u64 hazards = context.read_hazards;
  if (state.shape == SiteState::Shape::consecutive && context.mask == full_mask) {
    u64 bad = 0;
    for (int i = 0; i < 32 * words; ++i)
      bad |= suspicious_read(writers[i], me + static_cast<u64>(i / words), hazards, block, epoch);
    if (bad) return false;
#pragma GCC ivdep
    for (int i = 0; i < 32 * words; ++i)
      readers[i] = read_cell(readers[i], me + static_cast<u64>(i / words), epoch, warp_sync);
    return true;
  }
  for (u32 k = 0; k < state.words; ++k)
    if (suspicious_read(writers[state.word[k].word], me + state.word[k].lane, hazards, block, epoch))
      return false;
  for (u32 k = 0; k < state.words; ++k) {
    u64 &reader = readers[state.word[k].word];
    reader = read_cell(reader, me + state.word[k].lane, epoch, warp_sync) |
             (state.word[k].many ? reader_many_lanes : 0);
  }
  return true;
}

template <int words>
inline bool check_store(const SiteState &state, Context &context, u64 low, u64 me) {
  u64 *writers = context.writers + low / 4;
  const u64 *readers = context.readers + low / 4;
  const u64 epoch = context.epoch_cell, hazards = context.write_hazards;
  if (state.duplicates) return false;
  if (state.shape == SiteState::Shape::consecutive && context.mask == full_mask) {
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

inline u64 my_cell(const Op &op, const Context &context) {
  return context.now_cell | u64{op.site} << 12;
}

/// Rows of the elements: d, b, c, e in that order (a is the address).
template <class T, int count>
struct Rows {
  Ref ref[4];
  explicit Rows(const Op &op) : ref{op.d, op.b, op.c, op.e} {}
};

template <class T, int count>
void load_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<u64, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (__builtin_expect(state.watch_readers != nullptr, 0) &&
      !watch_load(state, op, context, low - state.begin, my_cell(op, context), bytes))
    return access_slowly(op, context);
  count_global(state, op, context, low);
  load_values<T, count>(state, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count>
void store_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<u64, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (state.watch_writers != nullptr &&
      __builtin_expect(!watch_store(state, op, context, low - state.begin, my_cell(op, context), bytes), 0))
    return access_slowly(op, context);
  count_global(state, op, context, low);
  store_values<T, count>(state, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void load_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<Address, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers) {
    const u64 me = my_cell(op, context);
    const bool fine = bytes < 4 || context.shared_shift != 2
                          ? check_fine_load(state, context, low, me, bytes)
                          : check_load<(bytes < 4 ? 1 : bytes / 4)>(state, context, low, me);
    if (__builtin_expect(!fine, 0)) return access_slowly(op, context);
  }
  count_shared(state);
  load_values<T, count>(state, context, context.shared + low, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void store_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<Address, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers) {
    const u64 me = my_cell(op, context);
    const bool fine = bytes < 4 || context.shared_shift != 2
                          ? check_fine_store(state, context, low, me, bytes)
                          : check_store<(bytes < 4 ? 1 : bytes / 4)>(state, context, low, me);
    if (__builtin_expect(!fine, 0)) return access_slowly(op, context);
  }
  count_shared(state);
  store_values<T, count>(state, context, context.shared + low, Rows<T, count>(op).ref);
}

}  // namespace

void add_memory_handlers(EntryList &l) {
  const auto add = [&l](const char *name, Handler run) { add_entry(l, {name, run}); };
  add("load.global.4x1", &load_global<u32, 1>);
  add("load.global.4x2", &load_global<u32, 2>);
  add("load.global.4x4", &load_global<u32, 4>);
  add("load.global.8x1", &load_global<u64, 1>);
  add("load.global.8x2", &load_global<u64, 2>);
  add("load.global.2x1", &load_global<u16, 1>);
  add("load.global.s2x1", &load_global<s16, 1>);
  add("load.global.2x2", &load_global<u16, 2>);
  add("load.global.2x4", &load_global<u16, 4>);
  add("load.global.1x1", &load_global<u8, 1>);
  add("load.global.s1x1", &load_global<s8, 1>);
  add("load.global.1x4", &load_global<u8, 4>);
  add("load.shared.4x1", &load_shared<u32, 1, u32>);
  add("load.shared.4x1.wide", &load_shared<u32, 1, u64>);
  add("load.shared.4x2", &load_shared<u32, 2, u32>);
  add("load.shared.4x2.wide", &load_shared<u32, 2, u64>);
  add("load.shared.4x4", &load_shared<u32, 4, u32>);
  add("load.shared.4x4.wide", &load_shared<u32, 4, u64>);
  add("load.shared.8x1", &load_shared<u64, 1, u32>);
  add("load.shared.8x1.wide", &load_shared<u64, 1, u64>);
  add("load.shared.8x2", &load_shared<u64, 2, u32>);
  add("load.shared.8x2.wide", &load_shared<u64, 2, u64>);
  add("load.shared.2x1", &load_shared<u16, 1, u32>);
  add("load.shared.s2x1", &load_shared<s16, 1, u32>);
  add("load.shared.2x2", &load_shared<u16, 2, u32>);
  add("load.shared.2x4", &load_shared<u16, 4, u32>);
  add("load.shared.1x1", &load_shared<u8, 1, u32>);
  add("load.shared.s1x1", &load_shared<s8, 1, u32>);
  add("load.shared.1x4", &load_shared<u8, 4, u32>);
  add("store.global.4x1", &store_global<u32, 1>);
  add("store.global.4x2", &store_global<u32, 2>);
  add("store.global.4x4", &store_global<u32, 4>);
  add("store.global.8x1", &store_global<u64, 1>);
  add("store.global.8x2", &store_global<u64, 2>);
  add("store.global.2x1", &store_global<u16, 1>);
  add("store.global.2x2", &store_global<u16, 2>);
  add("store.global.2x4", &store_global<u16, 4>);
  add("store.global.1x1", &store_global<u8, 1>);
  add("store.global.1x4", &store_global<u8, 4>);
  add("store.shared.4x1", &store_shared<u32, 1, u32>);
  add("store.shared.4x1.wide", &store_shared<u32, 1, u64>);
  add("store.shared.4x2", &store_shared<u32, 2, u32>);
  add("store.shared.4x2.wide", &store_shared<u32, 2, u64>);
  add("store.shared.4x4", &store_shared<u32, 4, u32>);
  add("store.shared.4x4.wide", &store_shared<u32, 4, u64>);
  add("store.shared.8x1", &store_shared<u64, 1, u32>);
  add("store.shared.8x1.wide", &store_shared<u64, 1, u64>);
  add("store.shared.8x2", &store_shared<u64, 2, u32>);
  add("store.shared.8x2.wide", &store_shared<u64, 2, u64>);
  add("store.shared.2x1", &store_shared<u16, 1, u32>);
  add("store.shared.2x2", &store_shared<u16, 2, u32>);
  add("store.shared.2x4", &store_shared<u16, 4, u32>);
  add("store.shared.1x1", &store_shared<u8, 1, u32>);
  add("store.shared.1x4", &store_shared<u8, 4, u32>);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
