// Which finding of a launch to show first.
#pragma once

#include <vector>

#include "counters/diagnostic.hpp"

namespace warpgrade::simt {

/// The one that most probably causes the others: an error rather than a warning, a bad access rather than a
/// barrier, a race and a value that nobody has set, in this order; the first of its kind. Null if there is none but
/// remarks and launches that were refused.
const Diagnostic *leading(const std::vector<Diagnostic> &);

}  // namespace warpgrade::simt
