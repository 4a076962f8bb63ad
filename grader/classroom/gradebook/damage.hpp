// What a person has to know about damage in the store of a class, and what mends it.
#pragma once

#include "batch/scoring.hpp"

namespace warpgrade::gradebook {

/// Names every damaged result and file on standard error, with the commands that mend them. Gives the exit
/// status of a command that has done the rest of its work and would give `status`.
int conclude_with_damage(const batch::Store &, const course::Assignment &, int status);

}  // namespace warpgrade::gradebook
