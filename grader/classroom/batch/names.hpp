// Names in archives and folders: which are safe to use, which can be ignored, and how they are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace warpgrade::batch {

/// The components of a path, split at / and \, without empty ones and ".".
std::vector<std::string> parts_of(std::string_view path);
std::string_view last_part(std::string_view path);

/// Why nobody hands in this name by accident: absolute, with "..", control characters, bytes that are not
/// UTF-8, a component that begins with "-", more than `most_bytes`. The end of a sentence ("has '..' in it"),
/// empty if there is no such reason.
std::string hazard_in(std::string_view path, std::uint64_t most_bytes);

/// What macOS and Windows leave behind: __MACOSX, ._*, .DS_Store, Thumbs.db, desktop.ini and the like.
bool is_clutter(const std::vector<std::string> &parts);

/// Files that `grade package` adds for people: benchmark.txt, roofline.svg and others. They are not
/// mentioned.
bool is_analysis(std::string_view name);

/// A name for use in a sentence: valid UTF-8 in quotes, visible escapes for control characters, truncated.
std::string shown(std::string_view name);

/// The number of inserted, deleted and changed bytes that turn one into the other; both at most 255 long,
/// else a large number.
std::size_t edit_distance(std::string_view, std::string_view);

/// "hw6-2.zip" is "hw6.zip", 2; "hw6 (1).tar.gz" is "hw6.tar.gz", 1: what platforms and browsers add to an
/// existing name. Without such a suffix: the name itself, 0.
struct Numbered {
  std::string name;
  std::int64_t number = 0;
  bool operator==(const Numbered &) const = default;
};
Numbered without_number(std::string_view name);

/// The name without ".zip", ".tar.gz", ...; the same name if it has no such ending.
std::string without_archive_ending(std::string_view name);
/// Whether the ending of the name denotes an archive, readable here or not.
bool is_archive_name(std::string_view name);

}  // namespace warpgrade::batch
