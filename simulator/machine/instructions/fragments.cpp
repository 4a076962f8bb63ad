#include "machine/instructions/fragments.hpp"

#include <utility>

#include "decode/opcode.hpp"
#include "decode/row_layout.hpp"

namespace warpgrade::simt::tensor {
namespace {

/// place(lane, i): the place of element i of a lane
template <class PlaceOf>
Fragment fragment(Element element, std::uint32_t rows, std::uint32_t columns, const PlaceOf &place) {
  Fragment made{element, rows, columns, std::vector<Holder>(std::size_t{rows} * columns)};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; i < made.each_lane(); ++i) {
      const Place at = place(lane, i);
      made.holders.at(std::size_t{at.row} * columns + at.column) = {lane, i};
    }
  return made;
}

Fragment transposed(const Fragment &from) {
  Fragment made{from.element, from.columns, from.rows, std::vector<Holder>(from.holders.size())};
  for (std::uint32_t row = 0; row < from.rows; ++row)
    for (std::uint32_t column = 0; column < from.columns; ++column)
      made.holders[std::size_t{column} * from.rows + row] =
          from.holders[std::size_t{row} * from.columns + column];
  return made;
}

/// Two products of wmma are side by side, or one below the other.
Fragments of_warp(const Opcode &o) {
  const auto [whole, swapped] = product_form(o);
  const Product &one = whole.one;
  const std::uint32_t across = whole.splits_columns ? whole.parts : 1, down = whole.parts / across;
  const auto parted = [](std::uint32_t i, std::uint32_t each,
                         Place (*place)(Element, std::uint32_t, std::uint32_t), Element element,
                         std::uint32_t lane, Place step) {
    Place at = place(element, lane, i % each);
    at.row += i / each * step.row, at.column += i / each * step.column;
    return at;
  };
  Fragments made;
  made.d = one.d;
  made.as_measured = o.base == "wmma";
  made.a = fragment(one.a, one.m * down, one.k, [&](std::uint32_t lane, std::uint32_t i) {
    return parted(i, one.m * one.k / 32, place_in_a, one.a, lane, {one.m, 0});
  });
  made.b = fragment(one.b, one.k, most_n * across, [&](std::uint32_t lane, std::uint32_t i) {
    return parted(i, most_n * one.k / 32, place_in_b, one.b, lane, {0, most_n});
  });
  made.c = fragment(one.c, one.m * down, most_n * across, [&](std::uint32_t lane, std::uint32_t i) {
    return parted(
        i, one.m * most_n / 32, [](Element, std::uint32_t l, std::uint32_t e) { return place_in_c(l, e); },
        one.c, lane, across > 1 ? Place{0, most_n} : Place{one.m, 0});
  });
  if (swapped) {
    std::swap(made.a, made.b);
    for (Fragment *f : {&made.a, &made.b, &made.c}) *f = transposed(*f);
  }
  return made;
}

Fragments of_warpgroup(const Opcode &o, bool a_in_shared) {
  const GroupProduct product = group_product(o);
  constexpr std::uint32_t rows = most_m, each = rows * most_n / 32;
  Fragments made;
  made.d = product.d;
  made.warps = 4;
  made.a = {product.a, rows, product.k, {}};
  if (!a_in_shared)
    made.a = fragment(product.a, rows, product.k,
                      [&](std::uint32_t lane, std::uint32_t i) { return place_in_a(product.a, lane, i); });
  made.b = {product.b, product.k, product.n, {}};
  made.c = fragment(product.d, rows, product.n, [&](std::uint32_t lane, std::uint32_t i) {
    const Place at = place_in_c(lane, i % each);
    return Place{at.row, at.column + i / each * most_n};
  });
  return made;
}

}  // namespace

std::optional<Fragments> fragments_of(std::string_view instruction, bool a_in_shared) {
  const Opcode o(instruction);
  if (tensor_flops(o) == 0) return std::nullopt;
  try {
    return o.base == "wgmma" ? of_warpgroup(o, a_in_shared) : of_warp(o);
  } catch (const Unsupported &) {
    return std::nullopt;
  }
}

}  // namespace warpgrade::simt::tensor
