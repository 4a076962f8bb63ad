// Which findings of a run may follow from an earlier one. A pure function of what the simulator found.
#pragma once

#include <vector>

#include "judge/verdict.hpp"

namespace warpgrade::judge {

/// Sets `follows` of findings that came after another one in its line, in its buffer, or in its thread.
/// found: of the same indices, in the order in which they were found
void mark_consequences(const std::vector<simt::Diagnostic> &found, std::vector<Finding> &findings);

/// "race in line 21", of a finding in the file `from`.
std::string in_words(const Origin &, const std::string &from);

}  // namespace warpgrade::judge
