// What ./grade debug, the pages of ./grade, the workspace and handouts share.
#pragma once

#include <string>

#include "explain/playback.hpp"
#include "grading/debugging.hpp"

namespace warpgrade::steps {

/// The recording, which there must be, with the names of the step's buffers and of the arrays in its source.
explain::Playback playback_of(const course::Step &, grading::Debugging, const std::string &source);

/// The page in which the first open case that fails is gone through; without one, any warp of the first case. Empty
/// where nothing was recorded: then `why` says why. source: the student's file. Throws std::runtime_error with the
/// reason when the call has no plan.
std::string debug_page(const grading::Grader &, const course::Step &, const build::Build &,
                       const std::string &source, std::string &why);

}  // namespace warpgrade::steps
