// SIMD video instructions: two halves or four bytes of a word at once, or their sum.
#include <cstdlib>
#include <deque>
#include <string>

#include "simt/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using i64 = std::int64_t;

enum class Video { add, sub, average, difference, least, greatest };
enum class Finish { merge, saturate, sum };  ///< without a suffix, .sat, .add

constexpr i64 part_of(u32 word, int at, int bits, bool is_signed) {
  const u32 part = word >> at & ((1u << bits) - 1);
  return is_signed && (part >> (bits - 1) & 1) != 0 ? i64{part} - (i64{1} << bits) : i64{part};
}

constexpr i64 combined(Video kind, i64 a, i64 b) {
  switch (kind) {
    case Video::add:
      return a + b;
    case Video::sub:
      return a - b;
    case Video::average:
      return (a + b + 1) >> 1;
    case Video::difference:
      return a > b ? a - b : b - a;
    case Video::least:
      return a < b ? a : b;
    case Video::greatest:
      return a > b ? a : b;
  }
  return 0;
}

constexpr i64 saturated(i64 value, int bits, bool is_signed) {
  const i64 least = is_signed ? -(i64{1} << (bits - 1)) : 0;
  const i64 most = (i64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return value < least ? least : value > most ? most : value;
}

template <Video kind, int bits, bool signed_result, bool signed_operands, Finish finish>
struct Parts {
  u32 operator()(u32 a, u32 b, u32 c) const {
    u32 result = finish == Finish::sum ? c : 0;
    for (int at = 0; at < 32; at += bits) {
      i64 value =
          combined(kind, part_of(a, at, bits, signed_operands), part_of(b, at, bits, signed_operands));
      if (finish == Finish::saturate) value = saturated(value, bits, signed_result);
      if (finish == Finish::sum)
        result += static_cast<u32>(value);
      else
        result |= (static_cast<u32>(value) & ((1u << bits) - 1)) << at;
    }
    return result;
  }
};

template <Video kind, int bits, bool signed_result, bool signed_operands>
void add_typed(EntryList &l, const std::string &base) {
  static std::deque<std::string> names;  // entries refer to them
  const std::string operands = signed_operands ? ".s32.s32" : ".u32.u32";
  const std::string whole = base + (signed_result ? ".s32" : ".u32") + operands;
  const auto add = [&](const char *suffix, auto parts) {
    names.push_back(whole + suffix);
    add3<u32, u32, u32, u32>(l, names.back().c_str(), parts);
  };
  add("", Parts<kind, bits, signed_result, signed_operands, Finish::merge>());
  add(".sat", Parts<kind, bits, signed_result, signed_operands, Finish::saturate>());
  add(".add", Parts<kind, bits, signed_result, signed_operands, Finish::sum>());
}

template <Video kind>
void add_kind(EntryList &l, const std::string &base) {
  add_typed<kind, 16, false, false>(l, base + "2");
  add_typed<kind, 16, false, true>(l, base + "2");
  add_typed<kind, 16, true, false>(l, base + "2");
  add_typed<kind, 16, true, true>(l, base + "2");
  add_typed<kind, 8, false, false>(l, base + "4");
  add_typed<kind, 8, false, true>(l, base + "4");
  add_typed<kind, 8, true, false>(l, base + "4");
  add_typed<kind, 8, true, true>(l, base + "4");
}

}  // namespace

void add_video_handlers(EntryList &l) {
  add_kind<Video::add>(l, "vadd");
  add_kind<Video::sub>(l, "vsub");
  add_kind<Video::average>(l, "vavrg");
  add_kind<Video::difference>(l, "vabsdiff");
  add_kind<Video::least>(l, "vmin");
  add_kind<Video::greatest>(l, "vmax");
}

}  // namespace warpgrade::simt
