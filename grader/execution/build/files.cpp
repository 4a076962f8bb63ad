#include "build/files.hpp"

#include <algorithm>

namespace warpgrade::build {

std::vector<std::filesystem::path> support_files(const std::filesystem::path &starter) {
  std::vector<std::filesystem::path> names;
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(starter, none)) {
    const std::filesystem::path name = entry.path().filename();
    const bool for_people = name.extension() == ".md" || name.string().starts_with('.');
    if (entry.is_regular_file() && name.extension() != ".cu" && !for_people) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpgrade::build
