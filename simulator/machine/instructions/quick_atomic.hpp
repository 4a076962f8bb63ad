// Checks of atomics, the fast path. Internal to simt.
#pragma once

#include "decode/context.hpp"

namespace warpgrade::simt {

/// One lane's atomic: the place of its value, with all checks and counts done except for the request's own.
/// nullptr, with nothing done, if a check needs a closer look, or the memory is neither global nor shared.
std::byte *enter_quickly(const Op &, const Site &, Context &, std::uint32_t lane, std::uint64_t address);

}  // namespace warpgrade::simt
