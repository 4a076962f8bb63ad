// Video instructions with all that they may have: which bytes or halves they take, how the result is limited, and
// what is made of it. Internal to simt.
#pragma once

#include <cstdint>

namespace warpgrade::simt {

enum class VideoKind : std::uint8_t {
  add,
  sub,
  average,
  difference,
  least,
  greatest,
  shift_left,
  shift_right,
  mad,
  set
};
enum class VideoCompare : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class VideoFinish : std::uint8_t { none, add, least, greatest };  ///< the secondary operation, with c

/// Op::immediate of the handler.
struct VideoForm {
  std::uint64_t kind : 4;
  std::uint64_t parts : 3;  ///< of a word: 1, 2, 4
  std::uint64_t compare : 3;
  std::uint64_t signed_d : 1;
  std::uint64_t signed_a : 1;
  std::uint64_t signed_b : 1;
  std::uint64_t saturates : 1;
  std::uint64_t finish : 2;
  std::uint64_t
      from_a : 12;  ///< 3 bits for each part of a: which byte or half of {b, a}; or, of 1 part, scalar_*
  std::uint64_t from_b : 12;
  std::uint64_t into : 4;  ///< the parts of d that are written, a bit each; or scalar_*
  std::uint64_t wraps : 1;
  std::uint64_t plus_one : 1;  ///< .po
  std::uint64_t scale : 4;     ///< bits that vmad shifts by
  std::uint64_t negative_a : 1;
  std::uint64_t negative_b : 1;
  std::uint64_t negative_c : 1;
  std::uint64_t unused : 11;
};
static_assert(sizeof(VideoForm) == sizeof(std::uint64_t));

constexpr std::uint64_t scalar_word = 0, scalar_byte = 1, scalar_half = 5;  ///< b0 to b3, then h0 and h1

}  // namespace warpgrade::simt
