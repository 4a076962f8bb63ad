// Loops that end when other threads have written something. How often they repeat is not known from a few blocks that
// run alone: they may find everything written already, or all the work for themselves.
#pragma once

#include <optional>
#include <string>

#include "ptx/module.hpp"

namespace warpgrade::predict {

/// The line of a load or an atomic operation in such a loop of the kernel, or of a function that is not inlined: the
/// first in the text. Line 0 if the module has no lines; nothing if there is no such loop.
std::optional<ptx::SourceLine> waits_for_others(const ptx::Module &, const std::string &kernel);

}  // namespace warpgrade::predict
