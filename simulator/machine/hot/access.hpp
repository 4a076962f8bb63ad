// Where the lanes of a memory instruction read and write: the cached lane pattern, moving values,
// counting requests. scattered.hpp handles lanes whose addresses differ each time.
#pragma once

#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {

inline const u64 *delta_of(const Pattern &pattern, const u64 *) {
  return pattern.delta;
}
inline const u32 *delta_of(const Pattern &pattern, const u32 *) {
  return pattern.narrow_delta;
}

/// Whether the addresses of the active lanes match the pattern.
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

/// Whether the sectors of a request are marked as accessed; `at`: from the beginning of the buffer, at a
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

inline u64 my_cell(const Op &op, const Context &context) {
  return context.now_cell | u64{op.site} << 12;
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
