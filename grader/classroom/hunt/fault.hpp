// A mutant as the fault of a hunt: what it causes, at which cases it shows, and the files that make a hunt of it. Pure
// functions of what was run. Internal to hunt/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/verdict.hpp"
#include "mutants/mutants.hpp"

namespace warpgrade::hunt {

/// Where a fault shows.
enum class Difficulty : unsigned char {
  every_size,  ///< every case fails in which there is something to do
  ragged,      ///< some fail, and others are right
  race_only    ///< every result is right; the race checker alone objects
};
std::string_view name_of(Difficulty);
std::vector<std::string> difficulty_names();

/// What became of one case with something to do.
struct Seen {
  judge::Verdict verdict = judge::Verdict::grader_error;
  bool right = false;  ///< every element, whatever the verdict is
};
/// None for a fault that does not show, or that says nothing of itself: a launcher that fails, a kernel that does not end.
std::optional<Difficulty> difficulty_of(const std::vector<Seen> &);

/// The causes that are right for a mutant of that kind with those verdicts; none: it is no good for a hunt.
std::vector<std::string> causes_of(std::string_view kind, const std::vector<Seen> &);

/// A solution without the marks of the starter's generator, and without what these announce.
std::string without_marks(const std::string &solution);

struct Files {
  std::string solution;               ///< with the marks of a hunt
  int first_line = 0, last_line = 0;  ///< of the fault, in the starter
  std::size_t changes = 1;            ///< statements that the fix changes
};
/// Of a source without marks and the same with a fault. None if the fault cannot be written with marks.
std::optional<Files> files_of(const std::string &source, const std::string &mutant, const std::string &cause);

}  // namespace warpgrade::hunt
