// The submissions of a class, as entries in one fixed order: a folder or an archive, traversed as often as
// needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "batch/archive.hpp"

namespace warpgrade::batch {

class Source {
 public:
  virtual ~Source() = default;
  /// Every entry below, links and unreadable ones included, with paths relative to it. Throws
  /// std::system_error if the machine fails, Refused if it is a damaged archive.
  virtual void walk(const EachEntry &) const = 0;
  virtual bool is_archive() const = 0;
  /// The bytes of an archive.
  virtual const Bytes *bytes() const = 0;
};

/// An archive in memory that lives longer than this.
std::unique_ptr<Source> memory_source(std::string_view bytes, const std::string &name);

/// Throws std::runtime_error with a message for people if there is nothing readable.
std::unique_ptr<Source> open_source(const std::filesystem::path &);

}  // namespace warpgrade::batch
