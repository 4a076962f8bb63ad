// Whole files: read at once, and written atomically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace warpgrade {

/// A file cannot be read or written: "cannot read FILE: REASON".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class ReadError : public FileError {
 public:
  using FileError::FileError;
};

/// All of a file, also of one without a size (/proc) or behind a symbolic link. Throws ReadError.
std::string read_whole(const std::filesystem::path &);
/// The same; empty if it cannot be read.
std::string read_or_empty(const std::filesystem::path &);
/// The last `most` bytes of a file, or all of it; empty if it cannot be read.
std::string read_end(const std::filesystem::path &, std::size_t most);

/// A file in a folder that others write to: a regular file, opened without following a symbolic link or
/// waiting for a FIFO.
class RegularFile {
 public:
  /// Throws std::system_error that names the file; EINVAL if it is not a regular file.
  explicit RegularFile(const std::filesystem::path &);
  std::uint64_t size() const { return size_; }  ///< when it was opened
  int descriptor() const { return file_.get(); }
  /// Fills `out` from `offset` on; returns the number of bytes, fewer only at the end of the file. Throws
  /// std::system_error.
  std::size_t read(std::uint64_t offset, std::span<char> out) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};
/// The bytes of a RegularFile that has at most `most`; nothing otherwise, or if it cannot be read.
std::optional<std::vector<std::byte>> read_regular(const std::filesystem::path &, std::uint64_t most);

/// Writes beside the target and renames: after a crash the file is the old one or the new one, also on a file
/// system that several machines share. A target that is not a regular file (/dev/stdout, a pipe) is written
/// to directly. `mode`: of the file, less the umask. Throws FileError.
void write_whole(const std::filesystem::path &, std::string_view text, unsigned mode = 0666);
/// Waits until names that were added or removed in a folder are on the disk.
void sync_folder(const std::filesystem::path &);
/// Writes a new file into a folder that only this process uses, without waiting for the disk.
/// Throws FileError, and leaves no partial file behind.
void write_scratch(const std::filesystem::path &, std::span<const std::byte>);
void write_scratch(const std::filesystem::path &, std::string_view);

/// The name of this machine; distinguishes its files from those of others in a shared folder.
std::string host_name();

}  // namespace warpgrade
