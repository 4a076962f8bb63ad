// How undefined values pass through operations: part of the table of instructions, and the checker's rule for each
// operation of a program.
#pragma once

#include <cstdint>

namespace warpgrade::simt {

/// What an operation makes of undefined operands. See machine/checks/undefined.hpp.
enum class Passes : std::uint8_t {
  compute,    ///< any undefined bit makes all of the result undefined
  halves,     ///< the same for each half of 32 bits
  sum,        ///< the lowest undefined bit and all above it: sums, differences, and products
  copy,       ///< bit by bit
  extend,     ///< copies of the sign above
  low_half,   ///< 16 bits of a
  sign_half,  ///< the same with copies of the sign above
  high_half,  ///< the upper 16 bits of a
  join_halves,
  conjunction,  ///< defined where one side is a defined 0
  disjunction,  ///< defined where one side is a defined 1
  exclusive,
  shift_left,
  shift_right,
  shift_sign,
  choice,    ///< selp
  equality,  ///< defined where defined bits differ
  field,     ///< bfe of unsigned fields
  insert,    ///< bfi
  permute,   ///< prmt with a selector
  convert,
  pack,
  unpack,
  shuffle,
  vote,
  across,  ///< match, redux: the result of all lanes
  load,
  store,
  atomic,
  copy_async,
  mbarrier,
  load_area,
  store_area,
  copy_area,
  call,
  product,  ///< of matrices: a result where its row of A, its column of B and its C are defined
  load_matrix,
  store_matrix,
  transpose,
  group_product,  ///< of a warpgroup
  nothing,
};

}  // namespace warpgrade::simt
