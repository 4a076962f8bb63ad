// Loads and stores in global and shared memory, the fast way: the lane pattern is the one of last time, all
// lanes stay in one range, and nobody else touched the words since the last barrier. What is not obvious at
// once goes to the careful form beside it, and from there to access_slowly, before anything was changed.
// Last, the loop over the operations of a basic block.
#include "simt/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

inline const u64 *delta_of(const Pattern &pattern, const u64 *) {
  return pattern.delta;
}
inline const u32 *delta_of(const Pattern &pattern, const u32 *) {
  return pattern.narrow_delta;
}

/// Whether the active lanes lie to each other as in the pattern.
template <class Address>
inline bool same_pattern(const Pattern &pattern, const Context &context, const Address *address,
                         Address first) {
  if (pattern.mask != context.mask) return false;
  const Address *delta = delta_of(pattern, address);
#ifdef __AVX512F__
  if (context.mask == full_mask) {
    // one comparison by mask instead of a sum over lanes
    const __m512i start = sizeof(Address) == 8 ? _mm512_set1_epi64(static_cast<s64>(first))
                                               : _mm512_set1_epi32(static_cast<s32>(first));
    __m512i difference = _mm512_setzero_si512();
    for (int i = 0; i < 32; i += 64 / static_cast<int>(sizeof(Address))) {
      const __m512i at = _mm512_load_si512(address + i), want = _mm512_load_si512(delta + i);
      const __m512i got = sizeof(Address) == 8 ? _mm512_sub_epi64(at, start) : _mm512_sub_epi32(at, start);
      difference = _mm512_or_si512(difference, _mm512_xor_si512(got, want));
    }
    return _mm512_test_epi64_mask(difference, difference) == 0;
  }
#endif
  Address difference = 0;
  if (context.mask == full_mask) {
    for (int i = 0; i < 32; ++i) difference |= static_cast<Address>(address[i] - first) ^ delta[i];
  } else {
    for (int i = 0; i < 32; ++i)
      difference |= (static_cast<Address>(address[i] - first) ^ delta[i]) &
                    static_cast<Address>(static_cast<s64>(static_cast<s32>(context.lanes[i])));
  }
  return difference == 0;
}

template <class Address>
[[gnu::noinline]] void learn_from(const Op &op, Context &context, const Address *address) {
  u64 wide[32];
  for (int i = 0; i < 32; ++i)
    wide[i] = static_cast<Address>(address[i] + static_cast<Address>(op.immediate));
  learn_pattern(op, context, wide);
}

/// Lowest address of the access if it may go the fast way, else ~0.
template <class Address, unsigned bytes>
inline u64 find_low(SiteState &state, const Pattern &pattern, const Op &op, Context &context) {
  const Address *address = row<Address>(context, op.a);
  const Address first = address[__builtin_ctz(context.mask)];
  if (!op.follows && __builtin_expect(!same_pattern(pattern, context, address, first), 0))
    learn_from(op, context, address);
  const u64 low = static_cast<Address>(first + static_cast<Address>(op.immediate) +
                                       static_cast<Address>(pattern.min_delta));
  const u64 high = low + pattern.span;
  if (__builtin_expect(((low | pattern.low_bits) & (bytes - 1)) != 0, 0)) return ~u64{0};
  if (__builtin_expect(low < state.begin || high > state.end || high < low, 0))
    if (!find_range(state, site_of(op, context), context, low, high)) return ~u64{0};
  state.shift = op.immediate + pattern.min_delta - state.begin;
  const bool aligned =
      (state.begin & (sizeof(Address) == 8 ? 31 : bytes - 1)) == 0;  // not all memory of the host is
  state.reach = aligned ? state.end - state.begin - pattern.span + 1 : 0;
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

template <class T, class Lane>
[[gnu::always_inline]] inline void gather(const Pattern &pattern, const std::byte *from, Lane *d, T) {
  for (int i = 0; i < 32; ++i) d[i] = *reinterpret_cast<const T *>(from + pattern.offset[i]);
}
#ifdef __AVX512F__
// Whole rows are stored at once: what reads a row after 32 stores of a lane each waits for all of them.
[[gnu::always_inline]] inline void gather(const Pattern &pattern, const std::byte *from, u32 *d, u32) {
  const auto half = [&](int first) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xFFFF,
                                       _mm512_load_si512(pattern.offset + first), from, 1);
  };
  if (pattern.uniform_halves) {
    _mm512_store_si512(d, _mm512_set1_epi32(*reinterpret_cast<const s32 *>(from + pattern.offset[0])));
    _mm512_store_si512(d + 16, _mm512_set1_epi32(*reinterpret_cast<const s32 *>(from + pattern.offset[16])));
    return;
  }
  const __m512i low = half(0);
  _mm512_store_si512(d, low);
  _mm512_store_si512(d + 16, pattern.halves ? low : half(16));
}
#endif

template <class T, int count>
[[gnu::always_inline]] inline void load_values(const Pattern &state, Context &context, const std::byte *from,
                                               const Ref *rows) {
  using Lane = typename LaneOf<T>::Type;
  if (state.fetch == Pattern::Fetch::consecutive) {
    const T *p = reinterpret_cast<const T *>(from);
    for (int e = 0; e < count; ++e) {
      Lane *d = row_out<Lane>(context, rows[e]);
      for (int i = 0; i < 32; ++i) d[i] = p[i * count + e];
    }
  } else if (state.fetch == Pattern::Fetch::uniform) {
    for (int e = 0; e < count; ++e) {
      Lane *d = row_out<Lane>(context, rows[e]);
      const Lane value = reinterpret_cast<const T *>(from)[e];
      for (int i = 0; i < 32; ++i) d[i] = value;
    }
  } else if (state.fetch == Pattern::Fetch::gather) {
    for (int e = 0; e < count; ++e) gather(state, from + e * sizeof(T), row_out<Lane>(context, rows[e]), T{});
  } else {
    for (u32 mask = context.mask; mask; mask &= mask - 1) {
      const int i = __builtin_ctz(mask);
      const T *p = reinterpret_cast<const T *>(from + state.offset[i]);
      for (int e = 0; e < count; ++e) row_out<Lane>(context, rows[e])[i] = p[e];
    }
  }
}

template <class T, int count>
[[gnu::always_inline]] inline void store_values(const Pattern &state, Context &context, std::byte *to,
                                                const Ref *rows) {
  using Lane = typename LaneOf<T>::Type;
  if (context.mask == full_mask && state.shape == Pattern::Shape::consecutive) {
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

/// Whether the sectors of a request are marked as touched; `at`: from the beginning of the buffer, at a
/// sector.
[[gnu::always_inline]] inline bool is_seen_at(const SiteState &state, const Pattern &pattern, u64 at) {
  if (pattern.contiguous) {
    const u64 want = (u64{2} << (((at & 31) + pattern.span - 1) >> 5)) - 1;
    u64 bits;
    __builtin_memcpy(&bits, state.sectors + (at >> 8), 8);
    return (~(bits >> (at >> 5 & 7)) & want) == 0;
  }
  const u64 unit = at >> pattern.seen_shift;
  return (state.seen[unit >> 6] >> (unit & 63) & 1) != 0;
}

inline void count_global(SiteState &state, const Pattern &pattern, Context &context, u64 low) {
  state.uses[low & 31] += 1;
  if (__builtin_expect(!is_seen_at(state, pattern, low - state.sector_begin), 0))
    see_sectors(state, context, low);
}
inline void count_shared(SiteState &state) {
  state.uses[0] += 1;
}

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

/// Calls visit(cell, lane) for every cell that the lanes touch, counted from the one at the lowest address.
/// lane_bytes: of one lane; shift: log2 of the bytes of a cell, none larger than the access or 4 bytes.
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

/// What check_load looks at, for cells of any size.
[[gnu::noinline]] bool writers_are_fine(const Pattern &pattern, const Context &context, u64 low, u64 me,
                                        u32 lane_bytes) {
  const u32 shift = context.shared_shift;
  const u64 *const writers = context.writers + (low >> shift);
  const u64 block = context.block_cell, epoch = context.epoch_cell;
  const u64 hazards = context.read_hazards;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    bad |= suspicious_read(writers[cell], me + lane, hazards, block, epoch);
  });
  return bad == 0;
}

[[gnu::always_inline]] inline void note_read(SharedRange &range, const Op &op, u64 low, u64 high, u64 me) {
  range.log[range.reads++] = {me, static_cast<u32>(low), op.pattern};
  if (low < range.read_begin) range.read_begin = low;
  if (high > range.read_end) range.read_end = high;
}

/// False if a read of shared memory needs a closer look. Enters it in the log, from where it gets into the
/// readers' cells once a store needs them, which in most kernels none does.
inline bool check_load(SharedRange &range, const Pattern &pattern, const Op &op, Context &context, u64 low,
                       u64 me, u32 lane_bytes) {
  const u64 high = low + pattern.span;
  if (__builtin_expect(!range.initialized || (low < range.written_end && high > range.written_begin), 0)) {
    if (!range.initialized && range.stored >= (range.end - range.begin) / 4) look_for_holes(context, range);
    if (!writers_are_fine(pattern, context, low, me, lane_bytes)) return false;
  }
  if (context.epoch_cell == ~u64{0}) return true;
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

/// check_store for cells below 4 bytes.
[[gnu::noinline]] bool check_fine_store(const Pattern &pattern, Context &context, u64 low, u64 me,
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

// Global memory's cells: 0 untouched, below block_start another block's.

/// False if the access needs a closer look.
[[gnu::noinline]] bool watch_load(const SiteState &state, const Op &op, Context &context, u64 at, u64 me,
                                  u32 lane_bytes) {
  Pattern &pattern = context.patterns[op.pattern];
  if (pattern.words == 0) learn_words(pattern, site_of(op, context));
  const u32 shift = context.global_shift;
  const u64 *const writers = state.watch_writers + (at >> shift);
  u64 *const readers = state.watch_readers + (at >> shift);
  u64 *const earlier = state.watch_earlier + (at >> shift);
  const u64 block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    const u64 writer = writers[cell], other = (writer ^ (me + lane)) & cell_thread;
    bad |= ((writer != 0) & (writer < block)) | ((writer >= epoch) & (other != 0));
    // Of several lanes the careful form keeps two by name, once.
    bad |= several & ((readers[cell] < epoch) | ((readers[cell] & reader_many_lanes) == 0));
  });
  if (bad) return false;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool several) {
    const u64 old = readers[cell], mine = me + lane;
    const u64 other_block = (old != 0) & (old < block), differs = (old ^ mine) & cell_thread;
    const u64 many =
        ((differs & cell_warp) != 0 ? reader_many_warps : 0) | (differs != 0 ? reader_many_lanes : 0);
    const u64 kept = old >= epoch ? (old & (reader_many_warps | reader_many_lanes)) | many : 0;
    if (other_block | ((differs != 0) & (old >= epoch))) earlier[cell] = old;
    readers[cell] = mine | (old & reader_other_blocks) | (other_block ? reader_other_blocks : 0) | kept |
                    (several ? reader_many_lanes : 0);
  });
  return true;
}

[[gnu::noinline]] bool watch_store(const SiteState &state, const Op &op, Context &context, u64 at, u64 me,
                                   u32 lane_bytes) {
  Pattern &pattern = context.patterns[op.pattern];
  if (pattern.words == 0) learn_words(pattern, site_of(op, context));
  if (pattern.duplicates) return false;
  const u32 shift = context.global_shift;
  u64 *const writers = state.watch_writers + (at >> shift);
  const u64 *const readers = state.watch_readers + (at >> shift);
  const u64 block = context.block_start, epoch = context.epoch_cell;
  u64 bad = 0;
  for_cells(pattern, context, lane_bytes, shift, [&](u32 cell, u32 lane, bool) {
    const u64 writer = writers[cell], reader = readers[cell], mine = me + lane;
    bad |= ((writer != 0) & (writer < block)) | ((writer >= epoch) & (((writer ^ mine) & cell_thread) != 0));
    bad |= ((reader != 0) & (reader < block)) | (reader & reader_other_blocks) |
           ((reader >= epoch) &
            (((reader ^ mine) & (cell_thread | reader_many_warps | reader_many_lanes)) != 0));
  });
  if (bad) return false;
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
[[gnu::noinline]] void load_global_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<u64, bytes>(state, pattern, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (__builtin_expect(state.watch_readers != nullptr, 0) &&
      !watch_load(state, op, context, low - state.begin, my_cell(op, context), bytes))
    return access_slowly(op, context);
  count_global(state, pattern, context, low);
  load_values<T, count>(pattern, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count>
[[gnu::noinline]] void store_global_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<u64, bytes>(state, pattern, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (state.watch_writers != nullptr &&
      __builtin_expect(!watch_store(state, op, context, low - state.begin, my_cell(op, context), bytes), 0))
    return access_slowly(op, context);
  count_global(state, pattern, context, low);
  store_values<T, count>(pattern, context, state.host + (low - state.begin), Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
[[gnu::noinline]] void load_shared_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<Address, bytes>(state, pattern, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers &&
      __builtin_expect(!check_load(*state.range, pattern, op, context, low, my_cell(op, context), bytes), 0))
    return access_slowly(op, context);
  count_shared(state);
  load_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void store_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  constexpr u32 bytes = sizeof(T) * count;
  const u64 low = find_low<Address, bytes>(state, pattern, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  if (context.writers) {
    SharedRange &range = *state.range;
    if (range.reads != 0 && low < range.read_end && low + pattern.span > range.read_begin)
      flush_reads(context, range);
    const u64 me = my_cell(op, context);
    const bool fine = bytes < 4 || context.shared_shift != 2
                          ? check_fine_store(pattern, context, low, me, bytes)
                          : check_store<(bytes < 4 ? 1 : bytes / 4)>(pattern, context, low, me);
    if (__builtin_expect(!fine, 0)) return access_slowly(op, context);
    mark_store(range, pattern, low);
  }
  count_shared(state);
  store_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}

// The same where there is nothing to look into: without calls, so that no register is saved. Everything that
// must be looked into is found out before anything is changed.

/// Lowest address of the access, counted from state.begin; false: it must be looked into.
template <class Address, unsigned bytes>
[[gnu::always_inline]] inline bool find_at_once(const SiteState &state, const Pattern &pattern, const Op &op,
                                                const Context &context, u64 &at) {
  const Address *address = row<Address>(context, op.a);
  const Address first = address[__builtin_ctz(context.mask)];
  if (!op.follows && !same_pattern(pattern, context, address, first)) return false;
  at = static_cast<Address>(first + static_cast<Address>(state.shift));
  return at < state.reach && (at & (bytes - 1)) == 0;
}

template <class T, int count>
void load_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<u64, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return load_global_carefully<T, count>(op, context);
  if (__builtin_expect(state.watch_readers != nullptr || !is_seen_at(state, pattern, at), 0))
    return load_global_carefully<T, count>(op, context);
  state.uses[at & 31] += 1;
  load_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count>
void store_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<u64, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return store_global_carefully<T, count>(op, context);
  if (__builtin_expect(state.watch_writers != nullptr || !is_seen_at(state, pattern, at), 0))
    return store_global_carefully<T, count>(op, context);
  state.uses[at & 31] += 1;
  store_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void load_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<Address, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return load_shared_carefully<T, count, Address>(op, context);
  const u64 low = state.begin + at;
  if (context.writers) {
    SharedRange &range = *state.range;
    const u64 high = low + pattern.span;
    if (__builtin_expect(!range.initialized || range.reads == range.room ||
                             (low < range.written_end && high > range.written_begin),
                         0))
      return load_shared_carefully<T, count, Address>(op, context);
    if (context.epoch_cell != ~u64{0}) note_read(range, op, low, high, my_cell(op, context));
  }
  count_shared(state);
  load_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}

/// fma.f32 with the hardware's NaN, as in float.cpp.
[[gnu::always_inline]] inline void fma_lanes(const Op &op, Context &context) {
  const float *a = row<float>(context, op.a), *b = row<float>(context, op.b), *c = row<float>(context, op.c);
  float *d = row_out<float>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) {
    const float value = __builtin_fmaf(a[i], b[i], c[i]);
    d[i] = value == value ? value : __builtin_bit_cast(float, 0x7FFFFFFF);
  }
}
template <class T>
[[gnu::always_inline]] inline void add_lanes(const Op &op, Context &context) {
  const T *a = row<T>(context, op.a), *b = row<T>(context, op.b);
  T *d = row_out<T>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = a[i] + b[i];
}

/// The operations of a basic block, all live lanes active. A call through a pointer that changes each time
/// costs more than the arithmetic of 32 lanes, so the frequent operations are found by comparisons, which are
/// predicted better.
void run_ops(const Op &first, Context &context) {
  const Op *const end = context.end;
  for (const Op *op = &first; op != end; ++op) {
    if (op->hot == Hot::none)
      op->run(*op, context);
    else if (op->hot == Hot::fma_f32)
      fma_lanes(*op, context);
    else if (op->hot == Hot::load_shared)
      load_shared<u32, 1, u32>(*op, context);
    else if (op->hot == Hot::load_global)
      load_global<u32, 1>(*op, context);
    else if (op->hot == Hot::add_b64)
      add_lanes<u64>(*op, context);
    else if (op->hot == Hot::add_b32)
      add_lanes<u32>(*op, context);
    else
      load_shared<u32, 4, u32>(*op, context);
  }
}

}  // namespace

void add_memory_handlers(EntryList &l) {
  const auto add = [&l](const char *name, Handler run) { add_entry(l, {name, run}); };
  add("loop", &run_ops);
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
