// Integer arithmetic. 16-bit values live in the low half of a 4-byte lane, zero-extended.
#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

// Division as the hardware does it: x / 0 and x % 0 are all ones; the most negative number over -1 does not
// trap.
template <class T>
inline T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<u64>(a));
  return static_cast<T>(a / b);
}
template <class T>
inline T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
inline s32 saturated(s64 value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : static_cast<s32>(value);
}
inline s32 low(u32 value) {
  return static_cast<s16>(value);
}
inline u32 half(u32 value) {
  return value & 0xFFFF;
}

void add_words(EntryList &l) {
  add2<u32, u32, u32>(l, "add.b32", [](u32 a, u32 b) { return a + b; });
  add2<u32, u32, u32>(l, "sub.b32", [](u32 a, u32 b) { return a - b; });
  add2<u32, u32, u32>(l, "mul.lo.b32", [](u32 a, u32 b) { return a * b; });
  add2<u32, u32, u32>(l, "mul.hi.u32", [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  add2<s32, s32, s32>(l, "mul.hi.s32", [](s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); });
  add2<u64, u32, u32>(l, "mul.wide.u32", [](u32 a, u32 b) { return u64{a} * b; });
  add2<s64, s32, s32>(l, "mul.wide.s32", [](s32 a, s32 b) { return s64{a} * b; });
  add3<u32, u32, u32, u32>(l, "mad.lo.b32", [](u32 a, u32 b, u32 c) { return a * b + c; });
  add3<u32, u32, u32, u32>(l, "mad.hi.u32",
                           [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a} * b >> 32) + c; });
  add3<u32, s32, s32, u32>(l, "mad.hi.s32",
                           [](s32 a, s32 b, u32 c) { return static_cast<u32>(s64{a} * b >> 32) + c; });
  add3<u64, u32, u32, u64>(l, "mad.wide.u32", [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  add3<u64, s32, s32, u64>(l, "mad.wide.s32",
                           [](s32 a, s32 b, u64 c) { return static_cast<u64>(s64{a} * b) + c; });
  add2<s32, s32, s32>(l, "add.sat.s32", [](s32 a, s32 b) { return saturated(s64{a} + b); });
  add2<s32, s32, s32>(l, "sub.sat.s32", [](s32 a, s32 b) { return saturated(s64{a} - b); });
  add2<u32, u32, u32>(l, "div.u32", [](u32 a, u32 b) { return divide(a, b); });
  add2<s32, s32, s32>(l, "div.s32", [](s32 a, s32 b) { return divide(a, b); });
  add2<u32, u32, u32>(l, "rem.u32", [](u32 a, u32 b) { return remainder(a, b); });
  add2<s32, s32, s32>(l, "rem.s32", [](s32 a, s32 b) { return remainder(a, b); });
  add1<u32, u32>(l, "neg.s32", [](u32 a) { return 0 - a; });
  add1<u32, s32>(l, "abs.s32", [](s32 a) { return a < 0 ? 0 - static_cast<u32>(a) : static_cast<u32>(a); });
  add2<u32, u32, u32>(l, "min.u32", [](u32 a, u32 b) { return a < b ? a : b; });
  add2<u32, u32, u32>(l, "max.u32", [](u32 a, u32 b) { return a > b ? a : b; });
  add2<s32, s32, s32>(l, "min.s32", [](s32 a, s32 b) { return a < b ? a : b; });
  add2<s32, s32, s32>(l, "max.s32", [](s32 a, s32 b) { return a > b ? a : b; });
  add3<u32, u32, u32, u32>(l, "sad.u32", [](u32 a, u32 b, u32 c) { return (a < b ? b - a : a - b) + c; });
  add3<u32, s32, s32, u32>(l, "sad.s32", [](s32 a, s32 b, u32 c) {
    return (a < b ? static_cast<u32>(b) - static_cast<u32>(a) : static_cast<u32>(a) - static_cast<u32>(b)) +
           c;
  });
  add2<u32, u32, u32>(l, "mul24.lo.u32", [](u32 a, u32 b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); });
  add2<s32, s32, s32>(l, "mul24.lo.s32", [](s32 a, s32 b) {
    const s64 x = static_cast<s32>(static_cast<u32>(a) << 8) >> 8,
              y = static_cast<s32>(static_cast<u32>(b) << 8) >> 8;
    return static_cast<s32>(x * y);
  });
}

void add_wide(EntryList &l) {
  add2<u64, u64, u64>(l, "add.b64", [](u64 a, u64 b) { return a + b; });
  add2<u64, u64, u64>(l, "sub.b64", [](u64 a, u64 b) { return a - b; });
  add2<u64, u64, u64>(l, "mul.lo.b64", [](u64 a, u64 b) { return a * b; });
  add2<u64, u64, u64>(l, "mul.hi.u64", [](u64 a, u64 b) {
    return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);
  });
  add2<s64, s64, s64>(l, "mul.hi.s64",
                      [](s64 a, s64 b) { return static_cast<s64>(static_cast<__int128>(a) * b >> 64); });
  add3<u64, u64, u64, u64>(l, "mad.lo.b64", [](u64 a, u64 b, u64 c) { return a * b + c; });
  add3<u64, u64, u64, u64>(l, "mad.hi.u64", [](u64 a, u64 b, u64 c) {
    return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64) + c;
  });
  add3<u64, s64, s64, u64>(l, "mad.hi.s64", [](s64 a, s64 b, u64 c) {
    return static_cast<u64>(static_cast<__int128>(a) * b >> 64) + c;
  });
  add2<u64, u64, u64>(l, "div.u64", [](u64 a, u64 b) { return divide(a, b); });
  add2<s64, s64, s64>(l, "div.s64", [](s64 a, s64 b) { return divide(a, b); });
  add2<u64, u64, u64>(l, "rem.u64", [](u64 a, u64 b) { return remainder(a, b); });
  add2<s64, s64, s64>(l, "rem.s64", [](s64 a, s64 b) { return remainder(a, b); });
  add1<u64, u64>(l, "neg.s64", [](u64 a) { return 0 - a; });
  add1<u64, s64>(l, "abs.s64", [](s64 a) { return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a); });
  add2<u64, u64, u64>(l, "min.u64", [](u64 a, u64 b) { return a < b ? a : b; });
  add2<u64, u64, u64>(l, "max.u64", [](u64 a, u64 b) { return a > b ? a : b; });
  add2<s64, s64, s64>(l, "min.s64", [](s64 a, s64 b) { return a < b ? a : b; });
  add2<s64, s64, s64>(l, "max.s64", [](s64 a, s64 b) { return a > b ? a : b; });
}

void add_halves(EntryList &l) {
  add2<u32, u32, u32>(l, "add.b16", [](u32 a, u32 b) { return half(a + b); });
  add2<u32, u32, u32>(l, "sub.b16", [](u32 a, u32 b) { return half(a - b); });
  add2<u32, u32, u32>(l, "mul.lo.b16", [](u32 a, u32 b) { return half(a * b); });
  add2<u32, u32, u32>(l, "mul.hi.u16", [](u32 a, u32 b) { return half(half(a) * half(b) >> 16); });
  add2<u32, u32, u32>(l, "mul.hi.s16",
                      [](u32 a, u32 b) { return half(static_cast<u32>(low(a) * low(b) >> 16)); });
  add2<u32, u32, u32>(l, "mul.wide.u16", [](u32 a, u32 b) { return half(a) * half(b); });
  add2<u32, u32, u32>(l, "mul.wide.s16", [](u32 a, u32 b) { return static_cast<u32>(low(a) * low(b)); });
  add3<u32, u32, u32, u32>(l, "mad.lo.b16", [](u32 a, u32 b, u32 c) { return half(a * b + c); });
  add3<u32, u32, u32, u32>(l, "mad.wide.u16", [](u32 a, u32 b, u32 c) { return half(a) * half(b) + c; });
  add3<u32, u32, u32, u32>(l, "mad.wide.s16",
                           [](u32 a, u32 b, u32 c) { return static_cast<u32>(low(a) * low(b)) + c; });
  add2<u32, u32, u32>(l, "div.u16", [](u32 a, u32 b) { return half(divide<u32>(half(a), half(b))); });
  add2<u32, u32, u32>(l, "div.s16",
                      [](u32 a, u32 b) { return half(static_cast<u32>(divide(low(a), low(b)))); });
  add2<u32, u32, u32>(l, "rem.u16", [](u32 a, u32 b) { return half(remainder<u32>(half(a), half(b))); });
  add2<u32, u32, u32>(l, "rem.s16",
                      [](u32 a, u32 b) { return half(static_cast<u32>(remainder(low(a), low(b)))); });
  add1<u32, u32>(l, "neg.s16", [](u32 a) { return half(0 - a); });
  add1<u32, u32>(l, "abs.s16", [](u32 a) { return half(static_cast<u32>(low(a) < 0 ? -low(a) : low(a))); });
  add2<u32, u32, u32>(l, "min.u16", [](u32 a, u32 b) { return half(a) < half(b) ? half(a) : half(b); });
  add2<u32, u32, u32>(l, "max.u16", [](u32 a, u32 b) { return half(a) > half(b) ? half(a) : half(b); });
  add2<u32, u32, u32>(l, "min.s16", [](u32 a, u32 b) { return low(a) < low(b) ? half(a) : half(b); });
  add2<u32, u32, u32>(l, "max.s16", [](u32 a, u32 b) { return low(a) > low(b) ? half(a) : half(b); });
}

}  // namespace

void add_integer_handlers(EntryList &list) {
  add_words(list);
  add_wide(list);
  add_halves(list);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
