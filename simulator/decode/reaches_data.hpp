// Which operations compute more than addresses: what a recording shows of the values that a line computes. Internal
// to simt.
#pragma once

#include <vector>

#include "decode/program.hpp"

namespace warpgrade::simt {

/// For each operation, whether its result reaches a store, a condition, an exchange between lanes or an operation
/// that is not known here. All other results only become addresses, or nothing.
std::vector<bool> reaches_data(const Program &);

}  // namespace warpgrade::simt
