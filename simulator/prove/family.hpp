// Stores of one thread that differ by constants only, such as those of an unrolled loop, as one store with an index.
#pragma once

#include <set>
#include <vector>

#include "prove/scene.hpp"

namespace warpgrade::prove {

/// Fewer stores that do the same as all of `stores` together: indices take the place of constants, of stores as of the
/// elements of a vector. An index counts as an iteration of its store, and is added to `exact`.
std::vector<Access> as_families(Scene &, const std::vector<const Access *> &stores, std::set<Symbol> &exact);

}  // namespace warpgrade::prove
