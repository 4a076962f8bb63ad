// Submissions whose verdict is known, in folders of tests/submissions: whole files, or edits of other files.
// FILE.edits in the folder stands for FILE:
//
//   // Reads the tiles before they are complete.
//   // Verdict: race.
//   from solutions/hw6/step2_shared.cu
//
//        b_tile[y][x] = b;
//   -    __syncthreads();  // nobody reads the tiles before they are complete
//
// The comment takes the place of the one at the top of the other file, whose lines for an exercise (from
// TODO(n) to BEGIN SOLUTION, and END SOLUTION) are left out. Then each group of lines is replaced, one after
// another: those with a blank or `-` in front must be there exactly once, and those with a blank or `+` come
// instead.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "sandbox/sandbox.hpp"

namespace warpgrade {

/// What is wrong with edits: "FILE:LINE: REASON".
class EditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` with `to` for `from`. Throws EditError, without a place, unless `from` is there exactly once.
std::string replaced_once(const std::string &text, const std::string &from, const std::string &to);

/// The text of FILE for a FILE.edits. Throws EditError.
std::string apply_edits(const std::filesystem::path &edits, const std::filesystem::path &course_root);

/// Folders of fixtures with whole files, for as long as this exists.
class WholeFixtures {
 public:
  explicit WholeFixtures(std::filesystem::path course_root) : root_(std::move(course_root)) {}
  /// This folder, if there are no edits in it; else a copy with the files that they make. Throws EditError.
  std::filesystem::path whole(const std::filesystem::path &folder);

 private:
  std::filesystem::path root_;
  std::unique_ptr<Scratch> scratch_;
  std::map<std::filesystem::path, std::filesystem::path> copies_;
};

}  // namespace warpgrade
