// How much one thread of a kernel can write to global memory, as far as the code tells without running it.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

/// Bytes, at most. Nothing when the code does not bound them: a store in a loop, a call, a bulk copy, a store
/// of a whole warp.
std::optional<std::uint64_t> most_stored_bytes(const Function &kernel);

}  // namespace warpgrade::ptx
