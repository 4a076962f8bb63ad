// Stores of one thread that differ by constants only, such as those of an unrolled loop, as one store with an index.
#pragma once

#include <set>
#include <vector>

#include "prove/scene.hpp"

namespace warpgrade::prove {

/// Accesses that differ by constants only, as one with an index.
struct Family {
  Access whole;  ///< with an index for each of the steps by which they differ; one access: itself
  std::vector<const Access *> members;
};
/// All of `accesses`, each in one family. An index counts as an iteration of its access, and is added to `exact`.
/// same_interval  those of a family have passed the same barriers
std::vector<Family> families_of(Scene &, const std::vector<const Access *> &accesses, std::set<Symbol> &exact,
                                bool same_interval);

/// Fewer stores that do the same as all of `stores` together: indices take the place of constants, of stores as of the
/// elements of a vector.
std::vector<Access> as_families(Scene &, const std::vector<const Access *> &stores, std::set<Symbol> &exact);

}  // namespace warpgrade::prove
