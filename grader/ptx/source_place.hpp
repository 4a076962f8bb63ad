// Where text that is no PTX came from: then there is no Module to ask.
#pragma once

#include <string_view>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

/// The student's line before line `text_line` of a module's text, by the last .loc that names a file of
/// neither the toolkit nor the system; line 0 when there is none.
SourceLine source_line_before(std::string_view text, int text_line);

}  // namespace warpgrade::ptx
