// The recording that a program left (`simt run --debug`), as a page.
#pragma once

#include <optional>
#include <string>

#include "trace/recording.hpp"

namespace warpgrade::report {

/// Writes the page to `file`, with the source if it can be read where the program was compiled; says on standard
/// error if nothing was recorded.
void write_program_page(std::optional<simt::Recording>, const std::string &file, const std::string &program);

}  // namespace warpgrade::report
