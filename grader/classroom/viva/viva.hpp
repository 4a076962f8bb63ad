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
  std::vector<std::string> steps;     ///< none: two that are right, chosen by the seed
  std::size_t questions = 6;          ///< for each student
  std::optional<std::uint64_t> seed;  ///< none: one that nobody knows
  std::string out;                    ///< a folder; empty: viva/ in that of the class
  std::string toolchain = "auto";
  bool no_sandbox = false;
};
/// ./gradebook viva: writes sheets with questions, the examiner's answers, and the same for platforms. Changes nothing
/// in the class. Gives the exit status; throws UsageError.
int viva(const VivaOptions &);

}  // namespace warpgrade::viva
