// Reading what lies where student code was compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace warpgrade::build {

/// The bytes of a regular file of at most `most` bytes; nothing when it is anything else, a symbolic link
/// included.
std::optional<std::vector<std::byte>> read_file(const std::filesystem::path &, std::uint64_t most);

/// What student files are compiled with: the files of a starter's folder that are neither theirs (.cu) nor
/// for people alone (.md, and names that begin with a dot). By name; names without folder.
std::vector<std::filesystem::path> support_files(const std::filesystem::path &starter);

/// throws std::runtime_error
void write_file(const std::filesystem::path &, std::span<const std::byte>);

}  // namespace warpgrade::build
