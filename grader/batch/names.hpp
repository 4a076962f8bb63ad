// Names in archives and folders: which are safe to look at, which mean nothing, and how they are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace warpgrade::batch {

/// The parts of a path, by / and \, without empty ones and those that are ".".
std::vector<std::string> parts_of(std::string_view path);
std::string_view last_part(std::string_view path);

/// What makes a name in an archive one that nobody hands in by accident: absolute, with "..", control
/// characters, bytes that are no UTF-8, a part that begins with "-", more than `most_bytes`. A sentence's end
/// ("has '..' in it"), empty when there is nothing.
std::string hazard_in(std::string_view path, std::uint64_t most_bytes);

/// What macOS and Windows leave behind: __MACOSX, ._*, .DS_Store, Thumbs.db, desktop.ini and the like.
bool is_clutter(const std::vector<std::string> &parts);

/// What `grade package` puts beside the steps for people: benchmark.txt, roofline.svg and the like. No word
/// is lost about it.
bool is_analysis(std::string_view name);

/// A name as a sentence may hold it: valid UTF-8 in quotes, visible escapes for control characters, cut.
std::string shown(std::string_view name);

/// Insertions, deletions and changes of a byte that make one of the other; both at most 255 long, else a
/// large number.
std::size_t edit_distance(std::string_view, std::string_view);

/// "hw6-2.zip" is "hw6.zip", 2; "hw6 (1).tar.gz" is "hw6.tar.gz", 1: what platforms and browsers add to a
/// name that is there already. Without such a suffix: the name itself, 0.
struct Numbered {
  std::string name;
  std::int64_t number = 0;
  bool operator==(const Numbered &) const = default;
};
Numbered without_number(std::string_view name);

/// The name without ".zip", ".tar.gz", ...; the same name where there is no such ending.
std::string without_archive_ending(std::string_view name);
/// Whether the ending of the name says that this is an archive, one that is read here or not.
bool is_archive_name(std::string_view name);

}  // namespace warpgrade::batch
