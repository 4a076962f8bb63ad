// Sends the grades of a class to a platform, and records what it has accepted.
#pragma once

#include "batch/store.hpp"
#include "course/assignment.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/lti_platform.hpp"

namespace warpgrade::gradebook {

/// A line for each student and one in the end, on standard output; gives the exit status. What the platform
/// has accepted is in the class's folder, so that only changes are sent. A student whose score it refuses
/// does not keep the others from theirs. Throws UsageError.
int push_grades(const batch::Store &, const course::Assignment &, const batch::RulesOf &, const LtiSite &,
                const PushOptions &, const Wait &);

}  // namespace warpgrade::gradebook
