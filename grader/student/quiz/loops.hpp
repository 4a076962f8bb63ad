// Loops in the text of a kernel. Internal to quiz/.
#pragma once

#include <string>

namespace warpgrade::quiz {

/// Whether a line, counted from 1, is part of a loop, its head included. A compiler may take what does not change out of a
/// loop, so only outside of loops does the text say how often a branch is reached.
bool in_a_loop(const std::string &source, int line);

}  // namespace warpgrade::quiz
