// The recording that a program left, as a page. Internal to program.
#pragma once

#include <filesystem>
#include <string>

namespace warpgrade::program {

/// folder   where the program's processes wrote what they recorded
/// file     the page; says so on standard error if nothing was recorded
void write_recording(const std::filesystem::path &folder, const std::string &file,
                     const std::string &program);

}  // namespace warpgrade::program
