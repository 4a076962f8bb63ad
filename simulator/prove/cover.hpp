// That every element of an output is written is shown by saying which thread does it, in which iteration: the digits of
// the element's row and column in the strides of the address.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "prove/question.hpp"
#include "prove/state.hpp"

namespace warpgrade::prove {

/// Why it is not known that these stores write every element of an output, each element by one of them; nothing if it is.
/// stores  to one object
/// exact   iterations that are reached exactly where what is known of them holds
std::optional<Danger> gap_of(Scene &, Decider &, const std::set<Symbol> &exact,
                             const std::vector<Access> &stores);

}  // namespace warpgrade::prove
