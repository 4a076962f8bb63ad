// A pattern for the names that a learning platform gives to submissions: a regular expression with a group
// that identifies the student. Names come from students, so matching is bounded: long names are never tried,
// and each character of the others takes a bounded number of steps.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpgrade::course {

/// ECMAScript's regular expressions without back-references and look-ahead, with named groups as
/// `(?<student>...)` or `(?P<student>...)`. Groups: student (if there is none of that name, the first group),
/// attempt (a number, later is larger), file (the name that the student gave), late (matches only in the
/// names of late submissions).
class NamePattern {
 public:
  /// Longer names match nothing. Bytes.
  static constexpr std::size_t longest_name = 255;

  /// Throws PatternError: what is wrong with `pattern`, in one sentence.
  explicit NamePattern(const std::string &pattern, bool any_case = false);

  struct Match {
    std::string student, attempt, file;  ///< empty if there is no such group, or it matched nothing
    bool late = false;
    bool operator==(const Match &) const = default;
  };
  /// The whole of `name` must match, and the student must not be empty.
  std::optional<Match> match(std::string_view name) const;
  /// Another student in `name` that the pattern matches as well as the one that match() returns: the name is
  /// ambiguous. Empty: there is none, or the pattern does not match at all.
  std::string other_student(std::string_view name) const;

 private:
  std::size_t index_of_student() const { return groups_.find("student")->second; }
  std::regex regex_, marked_;  ///< marked_: requires the byte `mark` where the student begins
  std::map<std::string, std::size_t, std::less<>> groups_;
};

class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpgrade::course
