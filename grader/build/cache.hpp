// Builds kept between runs, and shared by processes that run at the same time.
//
// An entry is a directory named by a hash of everything that went into the build. The inputs lie in it and
// are compared byte by byte, so two inputs with one hash cannot be taken for each other. Entries appear
// whole, by rename.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "build/build.hpp"

namespace warpgrade::build {

class Cache {
 public:
  explicit Cache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// What the compiler made of these inputs: ok, reason, message, log, registers, spill bytes, fatbin,
  /// worker.
  std::optional<Build> find(std::span<const std::byte> inputs) const;

  /// Keeps a build; does nothing when the directory cannot be written. The entries that were used least
  /// lately make room.
  void keep(std::span<const std::byte> inputs, const Build &) const;

 private:
  std::filesystem::path directory_;
};

/// 32 hexadecimal digits for what is not to be told from them: a name, and enough of what nobody hostile
/// wrote.
std::string name_of(std::span<const std::byte> inputs);

}  // namespace warpgrade::build
