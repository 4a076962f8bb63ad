// Moves, logic, shifts, bit fields, and the integer conversions that address arithmetic needs.
#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

void add_logic(EntryList &l) {
  add1<u32, u32>(l, "mov.b32", [](u32 a) { return a; });
  add1<u64, u64>(l, "mov.b64", [](u64 a) { return a; });
  add2<u32, u32, u32>(l, "and.b32", [](u32 a, u32 b) { return a & b; });
  add2<u32, u32, u32>(l, "or.b32", [](u32 a, u32 b) { return a | b; });
  add2<u32, u32, u32>(l, "xor.b32", [](u32 a, u32 b) { return a ^ b; });
  add1<u32, u32>(l, "not.b32", [](u32 a) { return ~a; });
  add1<u32, u32>(l, "not.b16", [](u32 a) { return ~a & 0xFFFF; });
  add1<u32, u32>(l, "cnot.b32", [](u32 a) { return u32{a == 0}; });
  add2<u64, u64, u64>(l, "and.b64", [](u64 a, u64 b) { return a & b; });
  add2<u64, u64, u64>(l, "or.b64", [](u64 a, u64 b) { return a | b; });
  add2<u64, u64, u64>(l, "xor.b64", [](u64 a, u64 b) { return a ^ b; });
  add1<u64, u64>(l, "not.b64", [](u64 a) { return ~a; });
  add1<u64, u64>(l, "cnot.b64", [](u64 a) { return u64{a == 0}; });
}

// Shifts by the width or more return zeros, or copies of the sign.
void add_shifts(EntryList &l) {
  add2<u32, u32, u32>(l, "shl.b32", [](u32 a, u32 n) { return n > 31 ? 0 : a << (n & 31); });
  add2<u32, u32, u32>(l, "shr.u32", [](u32 a, u32 n) { return n > 31 ? 0 : a >> (n & 31); });
  add2<s32, s32, u32>(l, "shr.s32", [](s32 a, u32 n) { return a >> (n > 31 ? 31 : n); });
  add2<u64, u64, u32>(l, "shl.b64", [](u64 a, u32 n) { return n > 63 ? 0 : a << (n & 63); });
  add2<u64, u64, u32>(l, "shr.u64", [](u64 a, u32 n) { return n > 63 ? 0 : a >> (n & 63); });
  add2<s64, s64, u32>(l, "shr.s64", [](s64 a, u32 n) { return a >> (n > 63 ? 63 : n); });
  add2<u32, u32, u32>(l, "shl.b16", [](u32 a, u32 n) { return n > 15 ? 0 : (a << (n & 15)) & 0xFFFF; });
  add2<u32, u32, u32>(l, "shr.u16", [](u32 a, u32 n) { return n > 15 ? 0 : (a & 0xFFFF) >> (n & 15); });
  add2<u32, u32, u32>(l, "shr.s16", [](u32 a, u32 n) {
    return static_cast<u32>(static_cast<s16>(a) >> (n > 15 ? 15 : n)) & 0xFFFF;
  });
  add3<u32, u32, u32, u32>(l, "shf.l.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) << (n & 31) >> 32);
  });
  add3<u32, u32, u32, u32>(l, "shf.r.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) >> (n & 31));
  });
  add3<u32, u32, u32, u32>(l, "shf.l.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) << (n > 32 ? 32 : n) >> 32);
  });
  add3<u32, u32, u32, u32>(l, "shf.r.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) >> (n > 32 ? 32 : n));
  });
}

void add_fields(EntryList &l) {
  add1<u32, u32>(l, "popc.b32", [](u32 a) { return static_cast<u32>(__builtin_popcount(a)); });
  add1<u32, u64>(l, "popc.b64", [](u64 a) { return static_cast<u32>(__builtin_popcountll(a)); });
  add1<u32, u32>(l, "clz.b32", [](u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : 32; });
  add1<u32, u64>(l, "clz.b64", [](u64 a) { return a ? static_cast<u32>(__builtin_clzll(a)) : 64; });
  add3<u32, u32, u32, u32>(l, "bfe.u32", [](u32 a, u32 b, u32 c) {
    const u32 at = b & 255, length = c & 255;
    const u32 value = at > 31 ? 0 : a >> at;
    return length > 31 ? value : value & ((1u << length) - 1);
  });
  add3<u32, s32, u32, u32>(l, "bfe.s32", [](s32 a, u32 b, u32 c) {
    const u32 at = b & 255, length = c & 255;
    if (length == 0) return 0u;
    // The bits beyond the field, or beyond the top, are copies of its highest bit that exists.
    const u32 top = at + length - 1 > 31 ? 31 : at + length - 1;
    const u32 sign = static_cast<u32>(a) >> top & 1 ? ~0u : 0;
    const u32 value = at > 31 ? sign : static_cast<u32>(a >> at);
    if (length > 31) return value;
    const u32 keep = (1u << length) - 1;
    return (value & keep) | (sign & ~keep);
  });
}

void add_conversions(EntryList &l) {
  add1<u64, u32>(l, "cvt.u64.u32", [](u32 a) { return u64{a}; });
  add1<s64, s32>(l, "cvt.s64.s32", [](s32 a) { return s64{a}; });
  add1<u32, u64>(l, "cvt.b32.b64", [](u64 a) { return static_cast<u32>(a); });
  add1<u32, u32>(l, "cvt.b16.b32", [](u32 a) { return a & 0xFFFF; });
  add1<u32, u32>(l, "cvt.u32.u16", [](u32 a) { return a & 0xFFFF; });
  add1<s32, u32>(l, "cvt.s32.s16", [](u32 a) { return s32{static_cast<s16>(a)}; });
}

}  // namespace

void add_bit_handlers(EntryList &list) {
  add_logic(list);
  add_shifts(list);
  add_fields(list);
  add_conversions(list);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
