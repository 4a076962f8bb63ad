// A folder with what the repository's root offers once it is built, to write in.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/places.hpp"

namespace warpgrade::tests {

class RepositoryRoot {
 public:
  RepositoryRoot() {
    namespace fs = std::filesystem;
    const fs::path repository = place::root;
    std::string name = (fs::temp_directory_path() / "warpgrade-docs-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
    for (const char *folder : {"assignments", "starter", "solutions", "grader", "handouts", "docs"})
      fs::create_directory_symlink(fs::canonical(repository / folder), path / folder);
    fs::create_symlink(place::grade, path / "grade");
    fs::create_symlink(place::gradebook, path / "gradebook");
    fs::create_symlink(place::simt, path / "simt");
  }
  ~RepositoryRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  RepositoryRoot(const RepositoryRoot &) = delete;
  RepositoryRoot &operator=(const RepositoryRoot &) = delete;
  std::filesystem::path path;
};

}  // namespace warpgrade::tests
