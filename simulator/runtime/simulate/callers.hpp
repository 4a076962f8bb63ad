// Where in the program the call in progress comes from.
#pragma once

#include <vector>

#include "links/operation.hpp"

namespace warpgrade::cuda {

/// The calls that led here, the innermost first, without those in this library; at most a few.
std::vector<links::CodePlace> callers();

}  // namespace warpgrade::cuda
