// Video instructions. SIMD ones work on two halves or four bytes of a word at once, or sum them up; the usual ones have a
// handler each. The scalar ones, and SIMD ones that choose or mask parts, share one: video().
#include "decode/video.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>

#include "machine/instructions/scalar.hpp"

namespace warpgrade::simt {
namespace {

using u32 = std::uint32_t;
using i64 = std::int64_t;

using Video = VideoKind;
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
    case Video::average:  // rounds halves away from zero, as GPUs do
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::difference:
      return a > b ? a - b : b - a;
    case Video::least:
      return a < b ? a : b;
    case Video::greatest:
      return a > b ? a : b;
    default:
      return 0;
  }
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

/// The one part of a that an operand names: all of it, a byte, or a half.
i64 scalar_of(u32 word, std::uint64_t selector, bool is_signed) {
  if (selector == scalar_word) return is_signed ? i64{static_cast<std::int32_t>(word)} : i64{word};
  if (selector < scalar_half)
    return part_of(word, 8 * static_cast<int>(selector - scalar_byte), 8, is_signed);
  return part_of(word, 16 * static_cast<int>(selector - scalar_half), 16, is_signed);
}

bool holds(VideoCompare compare, i64 a, i64 b) {
  switch (compare) {
    case VideoCompare::eq:
      return a == b;
    case VideoCompare::ne:
      return a != b;
    case VideoCompare::lt:
      return a < b;
    case VideoCompare::le:
      return a <= b;
    case VideoCompare::gt:
      return a > b;
    case VideoCompare::ge:
      return a >= b;
  }
  return false;
}

i64 made_of(const VideoForm &form, i64 a, i64 b) {
  const auto kind = static_cast<VideoKind>(form.kind);
  const i64 distance = form.wraps ? b & 31 : b > 32 ? 32 : b;
  switch (kind) {
    case VideoKind::shift_left:
      return static_cast<i64>(static_cast<std::uint64_t>(a) << distance);
    case VideoKind::shift_right:
      return a >> distance;
    case VideoKind::set:
      return holds(static_cast<VideoCompare>(form.compare), a, b) ? 1 : 0;
    default:
      return combined(kind, a, b);
  }
}

/// a * b + c, with PTX's rules of signs.
u32 multiplied(const VideoForm &form, i64 a, i64 b, u32 addend) {
  using Wide = __int128;
  const bool negates = form.negative_a != form.negative_b;
  const bool is_signed = form.signed_a || form.signed_b || negates || form.negative_c;
  Wide product = Wide{a} * b;
  u32 c = addend;
  int last = 0;
  if (form.plus_one)
    last = 1;
  else if (negates)
    product = ~product, last = 1;
  else if (form.negative_c)
    c = ~c, last = 1;
  const Wide sum = product + (is_signed ? Wide{static_cast<std::int32_t>(c)} : Wide{c}) + last;
  const Wide result = sum >> form.scale;
  if (!form.saturates) return static_cast<u32>(result);
  const Wide least = is_signed ? Wide{INT32_MIN} : Wide{0},
             most = is_signed ? Wide{INT32_MAX} : Wide{UINT32_MAX};
  return static_cast<u32>(result < least ? least : result > most ? most : result);
}

/// The secondary operation, with c as a number of the result's type.
i64 finished(const VideoForm &form, i64 value, u32 c) {
  const i64 other = form.signed_d ? i64{static_cast<std::int32_t>(c)} : i64{c};
  switch (static_cast<VideoFinish>(form.finish)) {
    case VideoFinish::add:
      return value + other;
    case VideoFinish::least:
      return value < other ? value : other;
    case VideoFinish::greatest:
      return value > other ? value : other;
    case VideoFinish::none:
      break;
  }
  return value;
}

u32 scalar_video(const VideoForm &form, u32 a, u32 b, u32 c) {
  const i64 x = scalar_of(a, form.from_a, form.signed_a), y = scalar_of(b, form.from_b, form.signed_b);
  if (static_cast<VideoKind>(form.kind) == VideoKind::mad) return multiplied(form, x, y, c);
  i64 value = made_of(form, x, y);
  const std::uint64_t into = form.into;
  const int bits = into == scalar_word ? 32 : into < scalar_half ? 8 : 16;
  if (form.saturates) value = saturated(value, bits, form.signed_d);
  if (into == scalar_word) return static_cast<u32>(finished(form, value, c));
  const int at = into < scalar_half ? 8 * static_cast<int>(into - scalar_byte)
                                    : 16 * static_cast<int>(into - scalar_half);
  const u32 whole = ((1u << bits) - 1) << at;
  return (c & ~whole) | (static_cast<u32>(value) << at & whole);
}

u32 video_in_parts(const VideoForm &form, u32 a, u32 b, u32 c) {
  const int bits = 32 / static_cast<int>(form.parts);
  const auto part = [&](std::uint64_t selectors, u32 i, bool is_signed) {
    const auto which = static_cast<u32>(selectors >> 3 * i & 7);
    const u32 word = which < form.parts ? a : b;
    return part_of(word, static_cast<int>(which % form.parts) * bits, bits, is_signed);
  };
  const bool sums = static_cast<VideoFinish>(form.finish) == VideoFinish::add;
  u32 result = c;
  for (u32 i = 0; i < form.parts; ++i) {
    if ((form.into >> i & 1) == 0) continue;
    i64 value = made_of(form, part(form.from_a, i, form.signed_a), part(form.from_b, i, form.signed_b));
    if (form.saturates) value = saturated(value, bits, form.signed_d);
    const u32 whole = ((1u << bits) - 1) << (static_cast<int>(i) * bits);
    result = sums ? result + static_cast<u32>(value)
                  : (result & ~whole) | (static_cast<u32>(value) << (static_cast<int>(i) * bits) & whole);
  }
  return result;
}

}  // namespace

void video(const Op &op, Context &context) {
  const auto form = std::bit_cast<VideoForm>(op.immediate);
  for (int lane = 0; lane < 32; ++lane) {
    const u32 a = lane_in<u32>(context, op.a, lane), b = lane_in<u32>(context, op.b, lane),
              c = lane_in<u32>(context, op.c, lane);
    lane_out<u32>(context, op.d, lane,
                  form.parts == 1 ? scalar_video(form, a, b, c) : video_in_parts(form, a, b, c));
  }
}

void add_video_handlers(EntryList &l) {
  add_kind<Video::add>(l, "vadd");
  add_kind<Video::sub>(l, "vsub");
  add_kind<Video::average>(l, "vavrg");
  add_kind<Video::difference>(l, "vabsdiff");
  add_kind<Video::least>(l, "vmin");
  add_kind<Video::greatest>(l, "vmax");
}

}  // namespace warpgrade::simt
