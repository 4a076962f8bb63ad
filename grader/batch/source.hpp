// What was handed in by a class, as entries in one fixed order: a folder or an archive, walked as often as
// wanted.
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
  /// Every entry below, links and what cannot be read included, with paths relative to it. Throws
  /// std::system_error when the machine fails, Refused when it is an archive and damaged.
  virtual void walk(const EachEntry &) const = 0;
  virtual bool is_archive() const = 0;
  /// The bytes of an archive.
  virtual const Bytes *bytes() const = 0;
};

/// An archive in memory that lives longer than this.
std::unique_ptr<Source> memory_source(std::string_view bytes, const std::string &name);

/// Throws std::runtime_error in words for a person when there is nothing there that can be read.
std::unique_ptr<Source> open_source(const std::filesystem::path &);

}  // namespace warpgrade::batch
