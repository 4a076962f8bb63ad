// Operations that are too rare to be worth a vector form: scalar loops.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/block_run.hpp"
#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class T>
T in(const Context &context, Ref ref, int lane) {
  return lane_in<T>(context, ref, lane);
}
template <class T>
void out(Context &context, Ref ref, int lane, T value) {
  lane_out(context, ref, lane, value);
}

u32 permuted(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = selector >> 4 * i & 15;
    u32 byte = bytes >> 8 * (pick & 7) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}
/// The selectors of the named modes, by the low two bits of c.
constexpr u32 permute_modes[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                     {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                     {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

template <class T>
T inserted(T field, T into, u32 at, u32 length) {
  constexpr u32 bits = sizeof(T) * 8;
  if (bits == 32) at &= 255, length &= 255;  // the 64-bit form is made of other instructions
  if (at >= bits || length == 0) return into;
  const T ones = length >= bits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << at);
  return static_cast<T>((into & ~mask) | ((field << at) & mask));
}
template <class T>
void insert_field(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i)
    out<T>(context, op.d, i,
           inserted(in<T>(context, op.a, i), in<T>(context, op.b, i), in<u32>(context, op.c, i),
                    in<u32>(context, op.e, i)));
}

/// mapa: the address of the same place in the shared memory of another block of the cluster
template <class T>
void map_rank(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const u64 rank = std::min<u64>(u64{in<u32>(context, op.b, i)} + 1, no_rank);
    const u64 address = in<T>(context, op.a, i);
    out<T>(context, op.d, i, static_cast<T>((address & ~(u64{255} << rank_shift)) | rank << rank_shift));
  }
}
/// getctarank
template <class T>
void rank_of_address(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const u32 named = static_cast<u32>(in<T>(context, op.a, i) >> rank_shift) & 255;
    out<u32>(context, op.d, i, named == 0 || named > no_rank ? context.run->cluster.rank() : named - 1);
  }
}

void lookup3(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    const u32 a = in<u32>(context, op.a, i), b = in<u32>(context, op.b, i), c = in<u32>(context, op.c, i);
    const u32 table = in<u32>(context, op.e, i);
    u32 result = 0;
    for (u32 k = 0; k < 8; ++k)
      if (table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    out(context, op.d, i, result);
  }
}

template <class T>
u32 find_top(T value, bool shift_amount) {
  constexpr u32 bits = sizeof(T) * 8;
  u64 magnitude = static_cast<u64>(value);
  if (static_cast<T>(-1) < 0 && value < 0) magnitude = static_cast<u64>(~value);
  if (bits == 32) magnitude &= 0xFFFFFFFF;
  if (magnitude == 0) return 0xFFFFFFFF;
  const u32 position = 63 - static_cast<u32>(std::countl_zero(magnitude));
  return shift_amount ? bits - 1 - position : position;
}

u32 reversed(u32 v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4;
  return __builtin_bswap32(v);
}

u64 extracted(u64 a, u32 b, u32 c, bool is_signed) {
  const u64 at = b, length = c;
  if (length == 0) return 0;
  const u64 top = std::min(at + length - 1, u64{63});
  const u64 sign = is_signed && (a >> top & 1) ? ~u64{0} : 0;
  const u64 value = at > 63 ? sign : is_signed ? static_cast<u64>(static_cast<s64>(a) >> at) : a >> at;
  if (length > 63) return value;
  const u64 keep = (u64{1} << length) - 1;
  return (value & keep) | (sign & ~keep);
}

template <class F>
u32 by_halves(u32 a, u32 b, F f) {
  return (f(a & 0xFFFF, b & 0xFFFF) & 0xFFFF) | f(a >> 16, b >> 16) << 16;
}
s32 signed_half(u32 half) {
  return static_cast<std::int16_t>(half);
}

/// bmsk: `length` ones from bit `at` on; clamp: beyond 31 there are none, or all the rest.
template <bool clamp>
u32 bit_mask(u32 at, u32 length) {
  const u32 from = at & 31, count = length & 31;
  const u32 ones = clamp && at > 31 ? 0 : ~0u << from;
  if ((clamp && (at > 31 || length > 31)) || from + count > 31) return ones;
  return ones & ~(~0u << (from + count));
}
/// szext: the lowest `bits` bits of a, with zeros or copies of the highest of them above.
template <bool clamp, bool sign>
u32 extended(u32 a, u32 bits) {
  if (clamp && bits > 31) return a;
  const u32 count = bits & 31, above = ~0u << count;
  return sign && count != 0 && (a >> (count - 1) & 1) ? a | above : a & ~above;
}
/// fns: the place of the |n|th one in a, from `base` on, up for n > 0, down for n < 0.
u32 find_nth(u32 a, u32 base, s32 n) {
  if (n == 0) return base < 32 && (a >> base & 1) ? base : ~0u;
  const s64 step = n > 0 ? 1 : -1;
  s64 left = std::abs(s64{n});
  for (s64 at = static_cast<s32>(base); at >= 0 && at < 32; at += step)
    if ((a >> at & 1) && --left == 0) return static_cast<u32>(at);
  return ~0u;
}

void add_masks(EntryList &l) {
  add1<u32, u64>(l, "mbarrier.pending_count", [](u64 token) { return static_cast<u32>(token & 0xFFFFF); });
  add1<u32, u32>(l, "cnot.b16", [](u32 a) { return u32{(a & 0xFFFF) == 0}; });
  add2<u32, u32, u32>(l, "bmsk.clamp.b32", [](u32 a, u32 b) { return bit_mask<true>(a, b); });
  add2<u32, u32, u32>(l, "bmsk.wrap.b32", [](u32 a, u32 b) { return bit_mask<false>(a, b); });
  add2<u32, u32, u32>(l, "szext.clamp.u32", [](u32 a, u32 b) { return extended<true, false>(a, b); });
  add2<u32, u32, u32>(l, "szext.clamp.s32", [](u32 a, u32 b) { return extended<true, true>(a, b); });
  add2<u32, u32, u32>(l, "szext.wrap.u32", [](u32 a, u32 b) { return extended<false, false>(a, b); });
  add2<u32, u32, u32>(l, "szext.wrap.s32", [](u32 a, u32 b) { return extended<false, true>(a, b); });
  add3<u32, u32, u32, s32>(l, "fns.b32", [](u32 a, u32 b, s32 n) { return find_nth(a, b, n); });
}

// Products of 24 bits, sums that stop at the ends of a type, sums of differences.
u64 product24(u32 a, u32 b) {
  return u64{a & 0xFFFFFF} * (b & 0xFFFFFF);
}
s64 signed_product24(s32 a, s32 b) {
  return s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
         (static_cast<s32>(static_cast<u32>(b) << 8) >> 8);
}
s32 clamped(s64 value) {
  return static_cast<s32>(std::clamp<s64>(value, INT32_MIN, INT32_MAX));
}
template <class T>
T difference(T a, T b) {
  return a < b ? b - a : a - b;
}

void add_integers(EntryList &l) {
  add2<u32, u32, u32>(l, "mul24.hi.u32",
                      [](u32 a, u32 b) { return static_cast<u32>(product24(a, b) >> 16); });
  add2<u32, s32, s32>(l, "mul24.hi.s32",
                      [](s32 a, s32 b) { return static_cast<u32>(signed_product24(a, b) >> 16); });
  add3<u32, u32, u32, u32>(l, "mad24.lo.u32",
                           [](u32 a, u32 b, u32 c) { return static_cast<u32>(product24(a, b)) + c; });
  add3<u32, s32, s32, u32>(l, "mad24.lo.s32",
                           [](s32 a, s32 b, u32 c) { return static_cast<u32>(signed_product24(a, b)) + c; });
  add3<u32, u32, u32, u32>(l, "mad24.hi.u32",
                           [](u32 a, u32 b, u32 c) { return static_cast<u32>(product24(a, b) >> 16) + c; });
  add3<u32, s32, s32, u32>(l, "mad24.hi.s32", [](s32 a, s32 b, u32 c) {
    return static_cast<u32>(signed_product24(a, b) >> 16) + c;
  });
  add3<s32, s32, s32, s32>(l, "mad24.hi.sat.s32",
                           [](s32 a, s32 b, s32 c) { return clamped((signed_product24(a, b) >> 16) + c); });
  add3<s32, s32, s32, s32>(l, "mad.hi.sat.s32",
                           [](s32 a, s32 b, s32 c) { return clamped((s64{a} * b >> 32) + c); });
  add3<u32, u32, u32, u32>(l, "mad.hi.u16", [](u32 a, u32 b, u32 c) {
    return (((a & 0xFFFF) * (b & 0xFFFF) >> 16) + c) & 0xFFFF;
  });
  add3<u32, u32, u32, u32>(l, "mad.hi.s16", [](u32 a, u32 b, u32 c) {
    return (static_cast<u32>(signed_half(a) * signed_half(b) >> 16) + c) & 0xFFFF;
  });
  add3<u32, u32, u32, u32>(
      l, "sad.u16", [](u32 a, u32 b, u32 c) { return (difference(a & 0xFFFF, b & 0xFFFF) + c) & 0xFFFF; });
  add3<u32, u32, u32, u32>(l, "sad.s16", [](u32 a, u32 b, u32 c) {
    return (static_cast<u32>(difference(signed_half(a), signed_half(b))) + c) & 0xFFFF;
  });
  add3<u64, u64, u64, u64>(l, "sad.u64", [](u64 a, u64 b, u64 c) { return difference(a, b) + c; });
  add3<u64, s64, s64, u64>(l, "sad.s64", [](s64 a, s64 b, u64 c) {
    return (a < b ? static_cast<u64>(b) - static_cast<u64>(a) : static_cast<u64>(a) - static_cast<u64>(b)) +
           c;
  });
  add2<s32, s32, s32>(l, "min.relu.s32", [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
  add2<s32, s32, s32>(l, "max.relu.s32", [](s32 a, s32 b) { return std::max({a, b, 0}); });
  add2<u32, u32, u32>(l, "min.relu.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) {
      return static_cast<u32>(std::max(std::min(signed_half(x), signed_half(y)), 0));
    });
  });
  add2<u32, u32, u32>(l, "max.relu.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) {
      return static_cast<u32>(std::max({signed_half(x), signed_half(y), 0}));
    });
  });
}

void add_bits(EntryList &l) {
  add1<u32, u32>(l, "brev.b32", [](u32 a) { return reversed(a); });
  add1<u64, u64>(l, "brev.b64", [](u64 a) {
    return u64{reversed(static_cast<u32>(a))} << 32 | reversed(static_cast<u32>(a >> 32));
  });
  add1<u32, u32>(l, "bfind.u32", [](u32 a) { return find_top(a, false); });
  add1<u32, s32>(l, "bfind.s32", [](s32 a) { return find_top(a, false); });
  add1<u32, u64>(l, "bfind.u64", [](u64 a) { return find_top(a, false); });
  add1<u32, s64>(l, "bfind.s64", [](s64 a) { return find_top(a, false); });
  add1<u32, u32>(l, "bfind.shiftamt.u32", [](u32 a) { return find_top(a, true); });
  add1<u32, s32>(l, "bfind.shiftamt.s32", [](s32 a) { return find_top(a, true); });
  add1<u32, u64>(l, "bfind.shiftamt.u64", [](u64 a) { return find_top(a, true); });
  add1<u32, s64>(l, "bfind.shiftamt.s64", [](s64 a) { return find_top(a, true); });
  add3<u64, u64, u32, u32>(l, "bfe.u64", [](u64 a, u32 b, u32 c) { return extracted(a, b, c, false); });
  add3<u64, u64, u32, u32>(l, "bfe.s64", [](u64 a, u32 b, u32 c) { return extracted(a, b, c, true); });
  constexpr Width w = Width::word, x = Width::wide;
  put(l, {"bfi.b32", &insert_field<u32>, w, w, w, w, w});
  put(l, {"bfi.b64", &insert_field<u64>, x, x, x, w, w});
  put(l, {"mapa.b32", &map_rank<u32>, w, w, w});
  put(l, {"mapa.b64", &map_rank<u64>, x, x, w});
  put(l, {"getctarank.b32", &rank_of_address<u32>, w, w});
  put(l, {"getctarank.b64", &rank_of_address<u64>, w, x});
  put(l, {"lop3.b32", &lookup3, w, w, w, w, w});
  add3<u32, u32, u32, u32>(l, "prmt.b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.f4e",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[0][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.b4e",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[1][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.rc8",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[2][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.ecl",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[3][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.ecr",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[4][c & 3]); });
  add3<u32, u32, u32, u32>(l, "prmt.b32.rc16",
                           [](u32 a, u32 b, u32 c) { return permuted(a, b, permute_modes[5][c & 3]); });
}

/// dp2a: two 16-bit parts of a times the lower or upper two bytes of b.
template <bool a_signed, bool b_signed>
u32 dot2(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; ++i) {
    const u32 x = a >> 16 * i & 0xFFFF, y = b >> 8 * i & 0xFF;
    const s64 left = a_signed ? signed_half(x) : static_cast<s64>(x);
    const s64 right = b_signed ? static_cast<s64>(static_cast<std::int8_t>(y)) : static_cast<s64>(y);
    c += static_cast<u32>(left * right);
  }
  return c;
}
/// dp4a: four bytes of a times those of b.
template <class A, class B>
void add_dot4(EntryList &l, const char *name) {
  add3<u32, u32, u32, u32>(l, name, [](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 32; i += 8) c += static_cast<u32>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
    return c;
  });
}
template <bool a_signed, bool b_signed>
void add_dot2(EntryList &l, const char *low, const char *high) {
  add3<u32, u32, u32, u32>(l, low, [](u32 a, u32 b, u32 c) { return dot2<a_signed, b_signed>(a, b, c); });
  add3<u32, u32, u32, u32>(l, high,
                           [](u32 a, u32 b, u32 c) { return dot2<a_signed, b_signed>(a, b >> 16, c); });
}

/// What cuda's __v functions become: dot products of bytes, and pairs of 16-bit integers.
void add_parts(EntryList &l) {
  add_dot4<std::uint8_t, std::uint8_t>(l, "dp4a.u32.u32");
  add_dot4<std::int8_t, std::uint8_t>(l, "dp4a.s32.u32");
  add_dot4<std::uint8_t, std::int8_t>(l, "dp4a.u32.s32");
  add_dot4<std::int8_t, std::int8_t>(l, "dp4a.s32.s32");
  add_dot2<false, false>(l, "dp2a.lo.u32.u32", "dp2a.hi.u32.u32");
  add_dot2<true, false>(l, "dp2a.lo.s32.u32", "dp2a.hi.s32.u32");
  add_dot2<false, true>(l, "dp2a.lo.u32.s32", "dp2a.hi.u32.s32");
  add_dot2<true, true>(l, "dp2a.lo.s32.s32", "dp2a.hi.s32.s32");
  const auto sum = [](u32 a, u32 b) { return by_halves(a, b, [](u32 x, u32 y) { return x + y; }); };
  add2<u32, u32, u32>(l, "add.u16x2", sum);
  add2<u32, u32, u32>(l, "add.s16x2", sum);
  add2<u32, u32, u32>(l, "min.u16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return x < y ? x : y; });
  });
  add2<u32, u32, u32>(l, "max.u16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return x > y ? x : y; });
  });
  add2<u32, u32, u32>(l, "min.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return signed_half(x) < signed_half(y) ? x : y; });
  });
  add2<u32, u32, u32>(l, "max.s16x2", [](u32 a, u32 b) {
    return by_halves(a, b, [](u32 x, u32 y) { return signed_half(x) > signed_half(y) ? x : y; });
  });
  add1<u32, u32>(l, "abs.s16x2", [](u32 a) {  // ptxas of CUDA 13.0 has no such form yet
    return by_halves(a, a, [](u32 x, u32) { return signed_half(x) < 0 ? 0 - x : x; });
  });
}

// 16-bit compares: only the low half of a lane counts.
template <class F>
void compare_halves(const Op &op, Context &context) {
  u32 mask = 0;
  for (int i = 0; i < 32; ++i)
    if (F{}(in<u32>(context, op.a, i), in<u32>(context, op.b, i))) mask |= 1u << i;
  std::memcpy(context.rows + op.d, &mask, 4);
}
template <class F>
void add_compare(EntryList &l, const char *name, F) {
  put(l, {name, &compare_halves<F>, Width::predicate, Width::word, Width::word});
}
#define WARPGRADE_COMPARE(name, type, expression)                           \
  add_compare(l, name, [](u32 first, u32 second) {                          \
    const auto a = static_cast<type>(first), b = static_cast<type>(second); \
    return expression;                                                      \
  })
void add_compares(EntryList &l) {
  WARPGRADE_COMPARE("setp.eq.u16", std::uint16_t, a == b);
  WARPGRADE_COMPARE("setp.ne.u16", std::uint16_t, a != b);
  WARPGRADE_COMPARE("setp.lt.u16", std::uint16_t, a < b);
  WARPGRADE_COMPARE("setp.le.u16", std::uint16_t, a <= b);
  WARPGRADE_COMPARE("setp.gt.u16", std::uint16_t, a > b);
  WARPGRADE_COMPARE("setp.ge.u16", std::uint16_t, a >= b);
  WARPGRADE_COMPARE("setp.eq.s16", std::int16_t, a == b);
  WARPGRADE_COMPARE("setp.ne.s16", std::int16_t, a != b);
  WARPGRADE_COMPARE("setp.lt.s16", std::int16_t, a < b);
  WARPGRADE_COMPARE("setp.le.s16", std::int16_t, a <= b);
  WARPGRADE_COMPARE("setp.gt.s16", std::int16_t, a > b);
  WARPGRADE_COMPARE("setp.ge.s16", std::int16_t, a >= b);
}
#undef WARPGRADE_COMPARE

// Carries: add.cc sets the carry, addc uses it. Lanes keep their own; masked lanes keep theirs. A difference
// sets it where nothing was borrowed.
template <class T, int use, bool subtract>
void with_carry(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    if (!(context.mask >> i & 1)) continue;
    const T a = in<T>(context, op.a, i), b = in<T>(context, op.b, i);
    const T carry = (use & 1) ? context.carry[i] & 1 : subtract;
    const T addend = subtract ? static_cast<T>(~b) : b;
    const T result = static_cast<T>(a + addend + carry);
    if (use & 2) context.carry[i] = result < a || (carry && result == a);
    out(context, op.d, i, result);
  }
}
/// mad{c}.{lo,hi}{.cc}: a * b + c with carry
template <class T, bool high, int use>
void multiply_carry(const Op &op, Context &context) {
  for (int i = 0; i < 32; ++i) {
    if (!(context.mask >> i & 1)) continue;
    using Wide = std::conditional_t<static_cast<T>(-1) < 0, s64, u64>;
    const u64 product = static_cast<u64>(Wide{in<T>(context, op.a, i)} * Wide{in<T>(context, op.b, i)});
    const u64 sum = (high ? product >> 32 : product & 0xFFFFFFFF) + in<u32>(context, op.c, i) +
                    ((use & 1) ? context.carry[i] & 1 : 0);
    if (use & 2) context.carry[i] = sum >> 32 & 1;
    out(context, op.d, i, static_cast<u32>(sum));
  }
}
void add_carries(EntryList &l) {
  constexpr Width w = Width::word, x = Width::wide;
  put(l, {"add.cc.b32", &with_carry<u32, 2, false>, w, w, w});
  put(l, {"addc.b32", &with_carry<u32, 1, false>, w, w, w});
  put(l, {"addc.cc.b32", &with_carry<u32, 3, false>, w, w, w});
  put(l, {"sub.cc.b32", &with_carry<u32, 2, true>, w, w, w});
  put(l, {"subc.b32", &with_carry<u32, 1, true>, w, w, w});
  put(l, {"subc.cc.b32", &with_carry<u32, 3, true>, w, w, w});
  put(l, {"add.cc.b64", &with_carry<u64, 2, false>, x, x, x});
  put(l, {"addc.b64", &with_carry<u64, 1, false>, x, x, x});
  put(l, {"addc.cc.b64", &with_carry<u64, 3, false>, x, x, x});
  put(l, {"sub.cc.b64", &with_carry<u64, 2, true>, x, x, x});
  put(l, {"subc.b64", &with_carry<u64, 1, true>, x, x, x});
  put(l, {"subc.cc.b64", &with_carry<u64, 3, true>, x, x, x});
  put(l, {"mad.lo.cc.u32", &multiply_carry<u32, false, 2>, w, w, w, w});
  put(l, {"mad.hi.cc.u32", &multiply_carry<u32, true, 2>, w, w, w, w});
  put(l, {"madc.lo.u32", &multiply_carry<u32, false, 1>, w, w, w, w});
  put(l, {"madc.hi.u32", &multiply_carry<u32, true, 1>, w, w, w, w});
  put(l, {"madc.lo.cc.u32", &multiply_carry<u32, false, 3>, w, w, w, w});
  put(l, {"madc.hi.cc.u32", &multiply_carry<u32, true, 3>, w, w, w, w});
  put(l, {"mad.hi.cc.s32", &multiply_carry<s32, true, 2>, w, w, w, w});
  put(l, {"madc.hi.s32", &multiply_carry<s32, true, 1>, w, w, w, w});
  put(l, {"madc.hi.cc.s32", &multiply_carry<s32, true, 3>, w, w, w, w});
}

}  // namespace

/// {d, b, c, e} = parts of a; immediate: bytes of a part, number of parts << 8, used parts << 16, bytes of a
/// << 24
void unpack(const Op &op, Context &context) {
  const u32 bytes = op.immediate & 255, parts = op.immediate >> 8 & 255, used = op.immediate >> 16 & 255;
  const bool wide = (op.immediate >> 24 & 255) == 8;
  const Ref rows[4] = {op.d, op.b, op.c, op.e};
  for (u32 rest = context.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const u64 value = wide ? in<u64>(context, op.a, lane) : in<u32>(context, op.a, lane);
    for (u32 k = 0; k < parts; ++k) {
      const u64 part = bytes == 8 ? value : value >> 8 * bytes * k & ((u64{1} << 8 * bytes) - 1);
      if (used >> k & 1) out(context, rows[k], lane, static_cast<u32>(part));
    }
  }
}

/// d = {a, b, c, e}; immediate: bytes of a part, number of parts << 8, bytes of d << 24
void pack(const Op &op, Context &context) {
  const u32 bytes = op.immediate & 255, parts = op.immediate >> 8 & 255;
  const bool wide = (op.immediate >> 24 & 255) == 8;
  const Ref rows[4] = {op.a, op.b, op.c, op.e};
  for (u32 rest = context.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    u64 value = 0;
    for (u32 k = 0; k < parts; ++k)
      value |= (u64{in<u32>(context, rows[k], lane)} & ((u64{1} << 8 * bytes) - 1)) << 8 * bytes * k;
    if (wide)
      out(context, op.d, lane, value);
    else
      out(context, op.d, lane, static_cast<u32>(value));
  }
}

void add_rare_handlers(EntryList &list) {
  add_bits(list);
  add_masks(list);
  add_integers(list);
  add_parts(list);
  add_compares(list);
  add_carries(list);
}

}  // namespace warpgrade::simt
