// Which elements each device holds, and the numbers in them: the host and a GPU draw them alike.
#pragma once

#include <cstdint>

#include "problem/element.hpp"
#include "problem/random.hpp"

namespace of_multi {

/// The part of `all` rows, columns or planes that a device holds.
struct Part {
  std::int64_t first = 0, end = 0;
  constexpr std::int64_t size() const { return end - first; }
};
constexpr Part part_of(std::int64_t all, std::int64_t device, std::int64_t devices) {
  return {all * device / devices, all * (device + 1) / devices};
}

/// The elements of one array, as rows and columns of a whole that all devices share, or each has.
struct Piece {
  Part rows, columns;
  std::int64_t pitch = 1;  ///< columns of the whole
  constexpr std::int64_t elements() const { return rows.size() * columns.size(); }
  constexpr std::int64_t in_whole(std::int64_t i) const {
    return (rows.first + i / columns.size()) * pitch + columns.first + i % columns.size();
  }
};

enum class Split : std::uint8_t { rows, k, k_for_all };

/// Of A, B and C = A B, which have the numbers 0, 1 and 2.
constexpr Piece piece_of_product(Split split, std::int64_t devices, std::int64_t m, std::int64_t n,
                                 std::int64_t k, int name, std::int64_t device) {
  const Part rows = part_of(m, device, devices), of_k = part_of(k, device, devices), all_of_n{0, n};
  if (name == 0) return split == Split::rows ? Piece{rows, {0, k}, k} : Piece{{0, m}, of_k, k};
  if (name == 1) return {of_k, all_of_n, n};
  return {split == Split::k_for_all ? Part{0, m} : rows, all_of_n, n};
}

/// Of a box: a row is a row of the box, and planes follow each other.
constexpr Piece piece_of_box(std::int64_t devices, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                             std::int64_t device) {
  const Part planes = part_of(nz, device, devices);
  return {{planes.first * ny, planes.end * ny}, {0, nx}, nx};
}

/// A multiple of 1/8 between -1 and 1, but not 0: sums of them are exact, in any order.
constexpr float eighths(std::uint64_t seed, std::uint64_t array, std::uint64_t i) {
  const std::uint64_t bits = warpgrade::problem::random_bits(seed, array + 1, i);
  const int magnitude = 1 + static_cast<int>(bits >> 40 & 7);
  return static_cast<float>(bits >> 63 != 0 ? -magnitude : magnitude) / 8;
}

}  // namespace of_multi
