// Device code that reads other numbers, or leaves accesses out: does a result depend on them?
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

/// The same module, in which every number that a load takes from shared memory has one bit flipped: of a
/// float the highest of its fraction. Loads through generic addresses are asked for their space first.
Module with_disturbed_shared_loads(const Module &);

/// An instruction of a module.
struct Place {
  std::size_t function = 0, instruction = 0;
  auto operator<=>(const Place &) const = default;
};
/// Loads and stores that may touch global or shared memory, in the order of the text.
std::vector<Place> memory_accesses(const Module &);
/// The same module, in which these loads give zeros and these stores do nothing.
Module without_accesses(const Module &, const std::vector<Place> &);

}  // namespace warpgrade::ptx
