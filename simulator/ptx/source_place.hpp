// The origin of text that is not PTX, for which there is no Module.
#pragma once

#include <string_view>

#include "ptx/module.hpp"

namespace warpgrade::ptx {

/// The student's line for line `text_line` of a module's text, by the last .loc that names a file outside the
/// toolkit and the system; line 0 if there is none.
SourceLine source_line_before(std::string_view text, int text_line);

}  // namespace warpgrade::ptx
