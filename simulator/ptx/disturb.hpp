// Variants of device code that read other numbers, or omit accesses and products. They show whether a result
// depends on these.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

/// The same module, with one bit flipped in every number that a load reads from shared memory; in a float,
/// the highest bit of its fraction. Loads through generic addresses first check their address space.
Module with_disturbed_shared_loads(const Module &);

/// An instruction of a module.
struct Place {
  std::size_t function = 0, instruction = 0;
  auto operator<=>(const Place &) const = default;
};
/// Loads and stores that may access global or shared memory, in the order of the text.
std::vector<Place> memory_accesses(const Module &);
/// Products on tensor cores, likewise.
std::vector<Place> tensor_products(const Module &);
/// The same module, in which these loads and products give zeros and these stores do nothing. A product of a
/// warpgroup leaves its sums as they are.
Module without_accesses(const Module &, const std::vector<Place> &);

}  // namespace warpgrade::ptx
