// Files that a command reads and writes; see base/files.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"

namespace warpgrade {

/// Throws UsageError when something is at `file` that does not begin with `beginning`, as what was written
/// there before does: a mistyped --out must not cost a file of another kind. `what` is that kind: "a zip".
void refuse_to_replace(const std::filesystem::path &file, const std::string &beginning,
                       const std::string &what);

/// Why write_whole would fail for this file; empty when it would not. Tries it, and leaves nothing behind.
std::string why_not_writable(const std::filesystem::path &file);

}  // namespace warpgrade
