// A bug hunt: a step whose starter is a kernel with one fault. The student names the line and the cause in two comments of
// the file, and fixes it there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::course {

struct Assignment;

/// What may be wrong, in the words of the student's file.
struct Cause {
  std::string_view name;     ///< "shuffle mask"
  std::string_view meaning;  ///< half a sentence
};
std::span<const Cause> hunt_causes();
/// The cause that a text names, in any spelling of case, blanks, hyphens and underscores; "" if it names none.
std::string cause_of(std::string_view text);

struct Hunt {
  std::size_t most_changes = 1;  ///< statements that the fix may change
  double line_points = 0, cause_points = 0;
  /// From hidden.yaml. In a kit there is none of it, and the course judges the answers.
  int first_line = 0, last_line = 0;  ///< of the fault, in the file that students get
  std::vector<std::string> causes;    ///< that are right
  bool known() const { return !causes.empty(); }
  bool operator==(const Hunt &) const = default;
};

/// Adds what the folder's hidden.yaml says about the hunts of an assignment. Throws ConfigError.
void read_hunts(const std::filesystem::path &folder, Assignment &);

}  // namespace warpgrade::course
