// The names of everything that a class handed in, as a tree; and what of an entry's path says where it
// belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/source.hpp"
#include "course/assignment.hpp"

namespace warpgrade::batch {

/// A tree of names that one student made is cut here; the limits of a submission refuse it later.
inline constexpr std::size_t deepest_part = 64;

inline constexpr std::size_t most_hazards = 1000;

struct Node {
  std::map<std::string, Node> children;
  Entry::Kind kind = Entry::Kind::folder;
  std::uint64_t self = 0, below = 0;  ///< entries of that very path; of everything below it
  std::int64_t modified = 0;          ///< of the newest file, itself included
  bool is_folder() const { return kind == Entry::Kind::folder || !children.empty(); }
};

struct Tree {
  Node root;
  /// Content of Gradescope's file of metadata, by its folder: "" or "class/".
  std::map<std::string, std::string> metadata;
  /// Names at the top that belong to no folder here (absolute, "..", a drive letter), each with what is wrong
  /// with it: a sentence's end. Not more than most_hazards.
  std::map<std::string, std::string> hazards;
};

/// Parts of a path: none of an absolute one, none from ".." on.
std::vector<std::string> safe_parts(std::string_view path);

/// Walks the source once; `apart`: an archive in a process of its own, with the limits of a student's if it
/// is no larger than one may be. Throws Refused when the archive cannot be read.
Tree look_at(const Source &, const course::ArchiveLimits &, bool apart);

}  // namespace warpgrade::batch
