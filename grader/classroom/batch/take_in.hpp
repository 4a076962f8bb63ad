// Reads the submissions of a class, one after another.
//
// Takes a folder or an archive (of folders, of archives, of a learning platform's export), or the submission
// of one student. Returns a Handin for each submission, including superseded ones, and one without a source
// for each row of the roster that handed in nothing. Archives are read in memory, and only the bytes of step
// files are kept; only one submission of the class is in memory at a time. docs/handing-in.md says what is
// accepted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batch/handin.hpp"
#include "batch/source.hpp"
#include "course/assignment.hpp"

namespace warpgrade::batch {

/// Facts from the names alone, before any content is read.
struct Survey {
  std::string layout;                       ///< "canvas"
  bool decided = false;                     ///< detected from the names, not specified
  std::size_t handins = 0;                  ///< as many Handins will follow
  std::size_t superseded = 0, missing = 0;  ///< of these
  std::vector<std::string> remarks;         ///< whole sentences: entries that are not submissions
  bool operator==(const Survey &) const = default;
};

struct TakeInOptions {
  std::string layout = {};            ///< one of course::layout_names(); empty: as in assignment.yaml
  std::filesystem::path roster = {};  ///< a CSV; empty: there is none
  bool apart = true;  ///< students' archives are read in processes of their own; false: in this one, for
                      ///< fuzzing
  std::function<void(const Survey &)> surveyed = {};  ///< called once, before the first Handin
};

/// Throws course::ConfigError about roster and metadata, with file and line, and std::runtime_error with a
/// message for people if `submissions` cannot be read at all. Nothing in a submission makes it throw: that is
/// Handin::refused. Exceptions of `each` pass through.
void take_in(const std::filesystem::path &submissions, const course::Assignment &, const TakeInOptions &,
             const std::function<void(Handin)> &each);
/// The same from a source of that name.
void take_in(const Source &, const std::string &name, const course::Assignment &, const TakeInOptions &,
             const std::function<void(Handin)> &each);

}  // namespace warpgrade::batch
