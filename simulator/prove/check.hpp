// The properties, as questions whether something has a solution.
#pragma once

#include <vector>

#include "prove/question.hpp"
#include "prove/state.hpp"

namespace warpgrade::prove {

/// For one property: what is not excluded. Empty: it holds for all sizes.
using Dangers = std::vector<Danger>;

Dangers outside(Scene &, Decider &, const Behaviour &);
Dangers diverging(Scene &, Decider &, const Behaviour &);
/// `aligned`: all threads of a block pass the same barriers.
Dangers racing(Scene &, Decider &, const Behaviour &, bool aligned);
Dangers overflowing(Scene &, Decider &, const Behaviour &);

}  // namespace warpgrade::prove
