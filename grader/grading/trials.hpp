// Launches and copies as the author may have meant them: a failing case that is right with one of these
// changes shows what is wrong with the call. Internal to grading/.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace warpgrade::grading {

/// A plan with one change, and what to say if the case is right with it.
struct Trial {
  plan::LaunchPlan plan;
  std::string sentence;
  std::string change;  ///< the same for the same change to the plan of another case
};

/// "; a copy fills 25 of the 100 bytes of w: does its size lack a sizeof?" of the first copy or fill that stops
/// at the number of elements of a buffer. buffer: its name; empty: any. Empty: there is none.
std::string short_copies(const plan::LaunchPlan &, const std::string &buffer);

/// Likely changes first. Empty for plans with many launches: each trial is a run.
std::vector<Trial> trials_of(const plan::LaunchPlan &);

}  // namespace warpgrade::grading
