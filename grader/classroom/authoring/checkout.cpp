#include "authoring/checkout.hpp"

#include <system_error>

namespace warpgrade::authoring {

namespace fs = std::filesystem;

std::optional<fs::path> find_checkout(const fs::path &root) {
  const auto has_tools = [](const fs::path &folder) { return fs::exists(folder / "tools/make-starter"); };
  if (has_tools(root)) return root;
  std::error_code error;
  for (fs::path at = fs::read_symlink("/proc/self/exe", error).parent_path();
       !error && at.has_relative_path(); at = at.parent_path())
    if (has_tools(at)) return at;
  return std::nullopt;
}

}  // namespace warpgrade::authoring
