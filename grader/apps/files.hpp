// Writing results so that a reader sees all of a file or none of it.
#pragma once

#include <filesystem>
#include <string>

namespace warpgrade::apps {

/// Writes beside the target and renames. Throws std::runtime_error that names the file and the reason.
void write_whole(const std::filesystem::path &file, const std::string &text);

}  // namespace warpgrade::apps
