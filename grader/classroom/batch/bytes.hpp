// Bytes with random access: a file on disk, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/files.hpp"

namespace warpgrade::batch {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `out` from `offset` on; returns how much was read, less than all only at the end. Throws
  /// std::system_error.
  virtual std::size_t read(std::uint64_t offset, std::span<char> out) const = 0;
  virtual int descriptor() const { return -1; }  ///< of the open file; -1: there is none
};

/// Memory that lives longer than this.
class MemoryBytes final : public Bytes {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t offset, std::span<char> out) const override;

 private:
  std::string_view bytes_;
};

/// A regular file, as base/files.hpp opens it.
class FileBytes final : public Bytes {
 public:
  /// Throws std::system_error when it is anything else, a symbolic link included.
  explicit FileBytes(const std::filesystem::path &path) : file_(path) {}
  std::uint64_t size() const override { return file_.size(); }
  std::size_t read(std::uint64_t offset, std::span<char> out) const override {
    return file_.read(offset, out);
  }
  int descriptor() const override { return file_.descriptor(); }

 private:
  RegularFile file_;
};

}  // namespace warpgrade::batch
