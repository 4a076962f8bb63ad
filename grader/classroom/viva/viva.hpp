// Questions for the students of a class, each about the code that this student handed in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade::viva {

struct VivaOptions {
  std::string folder;                 ///< of the class
  std::vector<std::string> students;  ///< none: all who handed in something
  std::vector<std::string> steps;     ///< none: those of the exam, or two that are right, chosen by the seed
  std::string exam;  ///< the step of `kind: viva` that they are for; empty: the only one, or none
  std::optional<std::size_t> questions;  ///< for each student; none: as the exam says, or six
  std::optional<std::uint64_t> seed;     ///< none: one that nobody knows
  std::string out;  ///< a folder; empty: viva/ in that of the class, and in it that of the exam
  std::string toolchain = "auto";
  bool no_sandbox = false;
};
/// ./gradebook viva: writes sheets with questions, the examiner's answers, and the same for platforms. Changes nothing
/// in the class. Gives the exit status; throws UsageError.
int viva(const VivaOptions &);

}  // namespace warpgrade::viva
