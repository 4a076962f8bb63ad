// Padding, tried: the wavefronts of requests to a shared array if its rows were longer. Internal to explain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/explain.hpp"

namespace warpgrade::explain {

/// Rows of a shared array, and what a longer row would do.
struct Padding {
  std::int64_t row_bytes = 0;
  std::int64_t more_bytes = 0;  ///< in each row
  std::size_t wavefronts = 0;   ///< that the request would take
  bool helps = false;           ///< fewer, and no more for all requests to the array together
  bool declared = false;        ///< the length of the rows is known from the source
  bool operator==(const Padding &) const = default;
};

/// For the request of an access with bank conflicts. all: the accesses of the launch that have samples, with
/// those to other arrays. Where the source does not give the length of a row, the jumps between lanes do.
/// Nothing if they give none either.
std::optional<Padding> try_padding(const Access &, const std::vector<const Access *> &all, const Bounds &);

}  // namespace warpgrade::explain
