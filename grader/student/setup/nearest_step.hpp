// The step that somebody probably meant who named it otherwise.
#pragma once

#include <string>

#include "course/assignment.hpp"

namespace warpgrade {

/// By its file, with or without folder and ending ("step3_blocktile.cu"), a word of that ("blocktile"), its
/// number ("3"), its id with an ending or in another spelling ("step3.cu", "Step-3"), or a mistyped id; empty
/// when none is near, or several are. Steps of the course go before those beyond it.
std::string nearest_step(const std::string &word, const course::Assignment &);

}  // namespace warpgrade
