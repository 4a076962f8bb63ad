// Where templates/ and tools/ are. A course may have a folder of its own, outside of the repository.
#pragma once

#include <filesystem>
#include <optional>

namespace warpgrade::authoring {

/// The course's folder if it has tools/make-starter, else the repository that this program was built in; none
/// if there is neither, as in a kit.
std::optional<std::filesystem::path> find_checkout(const std::filesystem::path &root);

}  // namespace warpgrade::authoring
