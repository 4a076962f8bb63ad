// Whole files: read at once, and written so that a reader sees all of one or nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::apps {

/// Writes beside the target and renames. Throws std::runtime_error that names the file and the reason.
void write_whole(const std::filesystem::path &file, const std::string &text);

/// Throws UsageError when something is at `file` that does not begin with `beginning`, as what was written
/// there before does: a mistyped --out must not cost a file of another kind. `what` is that kind: "a zip".
void refuse_to_replace(const std::filesystem::path &file, const std::string &beginning,
                       const std::string &what);

/// Why write_whole would fail for this file; empty when it would not. Tries it, and leaves nothing behind.
std::string why_not_writable(const std::filesystem::path &file);

/// Writes into a folder that goes with this process: nothing waits for the disk, which would take longer than
/// to grade a step. Throws as write_whole.
void write_scratch(const std::filesystem::path &file, const char *begin, const char *end);

/// Throws UsageError when it cannot be read.
std::string read_whole(const std::filesystem::path &file);

/// Without line ends.
std::vector<std::string> lines_of(const std::string &text);

}  // namespace warpgrade::apps
