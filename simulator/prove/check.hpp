// The properties, as questions whether something has a solution.
#pragma once

#include <vector>

#include "prove/question.hpp"
#include "prove/state.hpp"

namespace warpgrade::prove {

/// For one property: what is not excluded. Empty: it holds for all sizes.
using Dangers = std::vector<Danger>;

/// The traps that a thread may come to.
Dangers trapping(Scene &, Decider &, const Behaviour &, std::size_t most);
Dangers outside(Scene &, Decider &, const Behaviour &);
Dangers diverging(Scene &, Decider &, const Behaviour &);
/// Likewise of what all lanes of a warp do together.
Dangers diverging_in_warps(Scene &, Decider &, const Behaviour &);
/// `aligned`: all threads of a block pass the same barriers.
Dangers racing(Scene &, Decider &, const Behaviour &, bool aligned);
/// Whether each element of the outputs is written, and once only.
Dangers unwritten(Scene &, Decider &, const Behaviour &);
Dangers overflowing(Scene &, Decider &, const Behaviour &);

/// Whether a formula has no solution, if need be by telling apart which stride of an address is smaller.
bool excluded_by_strides(const Scene &, Decider &, const Formula &, const Polynomial &difference);

}  // namespace warpgrade::prove
