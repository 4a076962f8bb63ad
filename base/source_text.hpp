// The text of C++ and CUDA sources.
#pragma once

#include <string>

namespace warpgrade {

/// The text with each comment replaced by blanks, so that positions and lines stay.
std::string without_comments(std::string text);

}  // namespace warpgrade
