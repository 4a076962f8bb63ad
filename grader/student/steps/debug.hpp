// What ./grade debug, the pages of ./grade and handouts share.
#pragma once

#include <string>

#include "explain/playback.hpp"
#include "grading/debugging.hpp"

namespace warpgrade::steps {

/// The recording, which there must be, with the names of the step's buffers and of the arrays in its source.
explain::Playback playback_of(const course::Step &, grading::Debugging, const std::string &source);

}  // namespace warpgrade::steps
