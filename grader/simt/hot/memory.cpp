// Loads and stores of whole words in global and shared memory, the fast way: the lane pattern is the one of
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

template <class T, int count>
inline void load_values(const SiteState &state, Context &context, const std::byte *from, const Ref *rows) {
  if (context.mask == full_mask && state.shape == SiteState::Shape::consecutive) {
    const T *p = reinterpret_cast<const T *>(from);
    for (int e = 0; e < count; ++e) {
      T *d = row_out<T>(context, rows[e]);
      for (int i = 0; i < 32; ++i) d[i] = p[i * count + e];
    }
  } else if (context.mask == full_mask && state.shape == SiteState::Shape::uniform) {
    for (int e = 0; e < count; ++e) {
      T *d = row_out<T>(context, rows[e]);
      const T value = reinterpret_cast<const T *>(from)[e];
      for (int i = 0; i < 32; ++i) d[i] = value;
    }
  } else if (context.mask == full_mask) {
    for (int e = 0; e < count; ++e) {
      T *d = row_out<T>(context, rows[e]);
      const std::byte *p = from + e * sizeof(T);
      for (int i = 0; i < 32; ++i) d[i] = *reinterpret_cast<const T *>(p + state.offset[i]);
    }
  } else {
    for (u32 mask = context.mask; mask; mask &= mask - 1) {
      const int i = __builtin_ctz(mask);
      const T *p = reinterpret_cast<const T *>(from + state.offset[i]);
      for (int e = 0; e < count; ++e) row_out<T>(context, rows[e])[i] = p[e];
    }
  }
}

template <class T, int count>
inline void store_values(const SiteState &state, Context &context, std::byte *to, const Ref *rows) {
  if (context.mask == full_mask && state.shape == SiteState::Shape::consecutive) {
    T *p = reinterpret_cast<T *>(to);
    for (int e = 0; e < count; ++e) {
      const T *v = row<T>(context, rows[e]);
      for (int i = 0; i < 32; ++i) p[i * count + e] = v[i];
    }
    return;
  }
  for (u32 mask = context.mask; mask; mask &= mask - 1) {
    const int i = __builtin_ctz(mask);
    T *p = reinterpret_cast<T *>(to + state.offset[i]);
    for (int e = 0; e < count; ++e) p[e] = row<T>(context, rows[e])[i];
  }
}

inline void count_global(SiteState &state, const Op &op, Context &context, u64 low) {
  u32 sectors = state.sectors[low & 31];
  if (__builtin_expect(sectors == 0, 0)) sectors = count_sectors(state, site_of(op, context), low & 31);
  state.requests += 1;
  state.sector_sum += sectors;
  state.byte_sum += state.bytes;
}
inline void count_shared(SiteState &state) {
  state.shared_requests += 1;
  state.wavefront_sum += state.wavefronts;
  state.conflict_sum += state.conflicts;
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
[[gnu::always_inline]] inline u64 suspicious_read(u64 writer, u64 mine, u64 block, u64 epoch) {
  const u64 other = (writer ^ mine) & (cell_thread | writer_atomic | writer_pending);
  return (writer < block ? 1 : 0) | (writer >= epoch ? other : 0);
}
[[gnu::always_inline]] inline u64 suspicious_write(u64 cell, u64 mine, u64 epoch) {
  const u64 other = (cell ^ mine) & (cell_thread | reader_many_lanes | reader_many_warps);
  return cell >= epoch ? other : 0;
}

template <int words>
inline bool check_load(const SiteState &state, Context &context, u64 low, u64 me) {
  const u64 *writers = context.writers + low / 4;
  u64 *readers = context.readers + low / 4;
  const u64 block = context.block_cell, epoch = context.epoch_cell, warp_sync = context.warp_cell;
  if (state.shape == SiteState::Shape::consecutive && context.mask == full_mask) {
    u64 bad = 0;
    for (int i = 0; i < 32 * words; ++i)
      bad |= suspicious_read(writers[i], me + static_cast<u64>(i / words), block, epoch);
    if (bad) return false;
#pragma GCC ivdep
    for (int i = 0; i < 32 * words; ++i)
      readers[i] = read_cell(readers[i], me + static_cast<u64>(i / words), epoch, warp_sync);
    return true;
  }
  for (u32 k = 0; k < state.words; ++k)
    if (suspicious_read(writers[state.word[k].word], me + state.word[k].lane, block, epoch)) return false;
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
  const u64 epoch = context.epoch_cell;
  if (state.duplicates) return false;
  if (state.shape == SiteState::Shape::consecutive && context.mask == full_mask) {
    u64 bad = 0;
    for (int i = 0; i < 32 * words; ++i) {
      const u64 mine = me + static_cast<u64>(i / words);
      bad |= suspicious_write(writers[i], mine, epoch) | suspicious_write(readers[i], mine, epoch);
    }
    if (bad) return false;
    for (int i = 0; i < 32 * words; ++i) writers[i] = me + static_cast<u64>(i / words);
    return true;
  }
  for (u32 k = 0; k < state.words; ++k) {
    const u64 mine = me + state.word[k].lane;
    if (suspicious_write(writers[state.word[k].word], mine, epoch) |
        suspicious_write(readers[state.word[k].word], mine, epoch))
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
  const u64 low = find_low<u64, sizeof(T) * count>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  count_global(state, op, context, low);
  load_values<T, count>(state, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count>
void store_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const u64 low = find_low<u64, sizeof(T) * count>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  count_global(state, op, context, low);
  store_values<T, count>(state, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void load_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const u64 low = find_low<Address, sizeof(T) * count>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers &&
      __builtin_expect(!check_load<sizeof(T) / 4 * count>(state, context, low, my_cell(op, context)), 0))
    return access_slowly(op, context);
  count_shared(state);
  load_values<T, count>(state, context, context.shared + low, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void store_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const u64 low = find_low<Address, sizeof(T) * count>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers &&
      __builtin_expect(!check_store<sizeof(T) / 4 * count>(state, context, low, my_cell(op, context)), 0))
    return access_slowly(op, context);
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
  add("store.global.4x1", &store_global<u32, 1>);
  add("store.global.4x2", &store_global<u32, 2>);
  add("store.global.4x4", &store_global<u32, 4>);
  add("store.global.8x1", &store_global<u64, 1>);
  add("store.global.8x2", &store_global<u64, 2>);
  add("load.shared.4x1", &load_shared<u32, 1, u32>);
  add("load.shared.4x2", &load_shared<u32, 2, u32>);
  add("load.shared.4x4", &load_shared<u32, 4, u32>);
  add("load.shared.8x1", &load_shared<u64, 1, u32>);
  add("load.shared.8x2", &load_shared<u64, 2, u32>);
  add("store.shared.4x1", &store_shared<u32, 1, u32>);
  add("store.shared.4x2", &store_shared<u32, 2, u32>);
  add("store.shared.4x4", &store_shared<u32, 4, u32>);
  add("store.shared.8x1", &store_shared<u64, 1, u32>);
  add("store.shared.8x2", &store_shared<u64, 2, u32>);
  add("load.shared.4x1.wide", &load_shared<u32, 1, u64>);
  add("load.shared.4x2.wide", &load_shared<u32, 2, u64>);
  add("load.shared.4x4.wide", &load_shared<u32, 4, u64>);
  add("load.shared.8x1.wide", &load_shared<u64, 1, u64>);
  add("store.shared.4x1.wide", &store_shared<u32, 1, u64>);
  add("store.shared.4x2.wide", &store_shared<u32, 2, u64>);
  add("store.shared.4x4.wide", &store_shared<u32, 4, u64>);
  add("store.shared.8x1.wide", &store_shared<u64, 1, u64>);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
