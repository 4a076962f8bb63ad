// Builds kept between runs, and shared by concurrent processes.
//
// An entry is a directory named after a hash of everything that went into the build. It contains the inputs,
// which are compared byte by byte, so two inputs with the same hash are never confused. Entries appear
// completely, by rename.
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

  /// Stores a build; does nothing if the directory cannot be written. The least recently used entries make
  /// room.
  void keep(std::span<const std::byte> inputs, const Build &) const;

 private:
  std::filesystem::path directory_;
};

/// Removes the least recently used entries of a folder that has more than `most`, an eighth of them at once: to ask a full
/// folder for the age of each entry takes time.
void make_room(const std::filesystem::path &folder, std::size_t most);

/// 32 hexadecimal digits that identify these bytes. Good enough for names and for data that nobody hostile
/// wrote.
std::string name_of(std::span<const std::byte> inputs);

}  // namespace warpgrade::build
