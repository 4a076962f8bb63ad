// Requests whose lanes' addresses differ each time: gathers through an index, stores of the lanes active in a
// branch. Learning a pattern costs more than such a request, so its figures are computed directly, into a
// temporary pattern.
#pragma once

#include "machine/hot/access.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {

constexpr u32 no_key = 0x8000'0000;  // plus the lane: differs from all offsets, which are less than 2^31

/// Bits of a mask; lanes.hpp's lanes_in() is not compiled for each instruction set.
[[gnu::always_inline]] inline u32 count_of(u32 mask) {
#ifdef __POPCNT__
  return static_cast<u32>(__builtin_popcount(mask));
#else
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
#endif
}

/// Lanes whose key an earlier lane has too.
[[gnu::noinline]] inline u32 repeated_lanes(const u32 (&keys)[32]) {
#if defined(__AVX512F__)
  constexpr int width = 16;
#elif defined(__AVX2__)
  constexpr int width = 8;
#else
  constexpr int width = 4;
#endif
  typedef u32 Words [[gnu::vector_size(width * 4)]];
  constexpr int count = 32 / width;
  alignas(64) u32 shifted[64];
  for (int i = 0; i < 32; ++i) shifted[i] = ~0u, shifted[32 + i] = keys[i];
  Words mine[count], found[count];
  for (int k = 0; k < count; ++k) {
    __builtin_memcpy(&mine[k], keys + k * width, sizeof(Words));
    found[k] = Words{};
  }
  const auto compare_all = [&]<std::size_t... k>(int distance, std::index_sequence<k...>) {
    const auto compare = [&](std::size_t at) {
      Words other;
      __builtin_memcpy(&other, shifted + 32 - distance + at * width, sizeof(Words));
      found[at] |= reinterpret_cast<Words>(mine[at] == other);
    };
    (compare(k), ...);  // written out, so that `found` stays in registers
  };
  for (int distance = 1; distance < 32; ++distance) compare_all(distance, std::make_index_sequence<count>());
  alignas(64) u32 all[32];
  for (int k = 0; k < count; ++k) __builtin_memcpy(all + k * width, &found[k], sizeof(Words));
  return mask_of(all);
}

/// key(offset) of active lanes; others get one of their own.
template <class Key>
inline void fill_keys(u32 (&keys)[32], const Pattern &pattern, const Context &context, const Key &key) {
  for (u32 i = 0; i < 32; ++i) {
    const u32 active = context.lanes[i];
    keys[i] = (key(pattern.offset[i]) & active) | ((no_key + i) & ~active);
  }
}

/// The words that the lanes access, as learn_words finds them. `unit`: of one word, in bytes.
inline void find_words(Pattern &pattern, const Context &context, u32 lane_bytes) {
  const u32 unit = lane_bytes < 4 ? lane_bytes : 4, shift = static_cast<u32>(__builtin_ctz(unit));
  alignas(64) u32 keys[32];
  fill_keys(keys, pattern, context, [](u32 offset) { return offset; });
  const u32 again = repeated_lanes(keys) & context.mask, fresh = context.mask & ~again;
  const u32 words = lane_bytes >> shift;
  pattern.duplicates = again != 0;
  pattern.used_bytes = count_of(fresh) * lane_bytes;
  u32 n = 0;
  for (u32 rest = fresh; rest; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    for (u32 k = 0; k < words; ++k)
      pattern.word[n++] = {(pattern.offset[lane] >> shift) + k, static_cast<u8>(lane), 0, false};
  }
  pattern.words = n;
  for (u32 rest = again; rest; rest &= rest - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(rest));
    const u32 key = keys[lane] >> shift;
    for (u32 k = 0; k < n; ++k)
      if (pattern.word[k].word - key < words) {
        pattern.word[k].many = true;
        pattern.word[k].other = static_cast<u8>(lane);
      }
  }
}

/// Fills in Context::scattered. False: the access must take the slow path.
template <class Address, unsigned bytes>
[[gnu::noinline]] bool scatter(SiteState &state, const Op &op, Context &context, u64 &low) {
  Pattern &pattern = *context.scattered;
  const Address *address = row<Address>(context, op.a);
  alignas(64) s64 at[32];
  const auto first = static_cast<s64>(
      static_cast<Address>(address[__builtin_ctz(context.mask)] + static_cast<Address>(op.immediate)));
  s64 least = first, most = first, all = first;
  for (int i = 0; i < 32; ++i) {
    const auto active = static_cast<s64>(static_cast<s32>(context.lanes[i]));
    const auto own = static_cast<s64>(static_cast<Address>(address[i] + static_cast<Address>(op.immediate)));
    at[i] = (own & active) | (first & ~active);
  }
  for (int i = 0; i < 32; ++i) {
    least = at[i] < least ? at[i] : least;
    most = at[i] > most ? at[i] : most;
    all |= at[i];
  }
  if (all < 0 || most - least >= s64{1} << 31 || (all & (bytes - 1)) != 0) return false;
  low = static_cast<u64>(least);
  const u64 high = static_cast<u64>(most) + bytes;
  if (low < state.begin || high > state.end) {
    if (!find_range(state, site_of(op, context), context, low, high)) return false;
    state.reach = 0;  // which was computed for another range
  }
  for (int i = 0; i < 32; ++i) pattern.offset[i] = static_cast<u32>(at[i] - least);
  pattern.mask = context.mask;
  pattern.shape = Pattern::Shape::general;
  pattern.fetch = context.mask == full_mask ? Pattern::Fetch::gather : Pattern::Fetch::by_lane;
  pattern.halves = pattern.uniform_halves = pattern.contiguous = pattern.duplicates = false;
  pattern.span = high - low;
  pattern.words = pattern.used_bytes = 0;
  return true;
}

/// Counts a request to global memory, and marks its sectors as accessed.
inline void count_scattered_global(SiteState &state, Context &context, u64 low, u32 lane_bytes) {
  const Pattern &pattern = *context.scattered;
  const u64 high = low + pattern.span;
  if (__builtin_expect(low < state.seen_begin || high > state.seen_end, 0))
    widen_sectors(state, context, low, high);
  const u64 begin = low - state.sector_begin, sector = begin >> 5;
  const auto phase = static_cast<u32>(begin & 31);
  const auto see = [&](u32 index) {
    const u64 one = sector + index;
    state.sector_bits[one >> 6] |= u64{1} << (one & 63);
  };
  u32 sectors = 0, distinct = 0, last = ~0u;
  s64 before = -1;
  u32 rest = context.mask;
  for (; rest; rest &= rest - 1) {  // mostly the addresses rise from lane to lane
    const u32 offset = pattern.offset[__builtin_ctz(rest)];
    if (offset < before) break;
    distinct += offset != before;
    before = offset;
    const u32 index = (phase + offset) >> 5;
    if (index == last) continue;
    last = index;
    ++sectors;
    see(index);
  }
  if (rest != 0) {
    alignas(64) u32 keys[32];
    fill_keys(keys, pattern, context, [phase](u32 offset) { return (phase + offset) >> 5; });
    const u32 again = repeated_lanes(keys) & context.mask;
    sectors = distinct = count_of(context.mask & ~again);
    for (rest = context.mask & ~again; rest; rest &= rest - 1) see(keys[__builtin_ctz(rest)]);
    if (again != 0) {
      if (pattern.used_bytes != 0) {
        distinct = pattern.used_bytes / lane_bytes;
      } else {
        fill_keys(keys, pattern, context, [](u32 offset) { return offset; });
        distinct = count_of(context.mask & ~repeated_lanes(keys));
      }
    }
  }
  ScatteredUses &uses = state.scattered;
  ++uses.requests;
  uses.bytes += u64{count_of(context.mask)} * lane_bytes;
  uses.cost += sectors;
  uses.used_bytes += u64{distinct} * lane_bytes;
  uses.ideal_sectors += (u64{distinct} * lane_bytes + 31) / 32;
}

/// Counts a request to shared memory.
inline void count_scattered_shared(SiteState &state, const Op &op, Context &context, u64 low,
                                   u32 lane_bytes) {
  const Pattern &pattern = *context.scattered;
  ScatteredUses &uses = state.scattered;
  ++uses.requests;
  uses.bytes += u64{count_of(context.mask)} * lane_bytes;
  if (lane_bytes > 4 || op.merges) return count_scattered_phases(op, context, low);
  alignas(64) u32 keys[32];
  const auto phase = static_cast<u32>(low & 3);
  fill_keys(keys, pattern, context, [phase](u32 offset) { return (phase + offset) >> 2; });
  const u32 fresh = context.mask & ~repeated_lanes(keys);
  u8 in_bank[32] = {};
  u32 most = 0;
  for (u32 rest = fresh; rest; rest &= rest - 1) {
    const u32 words = ++in_bank[keys[__builtin_ctz(rest)] & 31];
    most = words > most ? words : most;
  }
  uses.cost += most;
  uses.conflicts += most - 1;
  uses.compiled_cost += most;
  uses.compiled_conflicts += most - 1;
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
