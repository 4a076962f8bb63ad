// Changes to the solutions of an assignment that no case can tell from them, each with its reason: equivalent.yaml beside
// assignment.yaml. For instructors only, since it contains lines of the solutions. Throws course::ConfigError for a file
// that is not right.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mutants/mutants.hpp"

namespace warpgrade::mutants {

inline constexpr const char *equivalents_file = "equivalent.yaml";

struct Equivalent {
  std::string step;     ///< empty: of every step
  std::string kind;     ///< of mutants; empty: any
  std::string line;     ///< what a mutant changes, whole lines without the blanks around them; empty: any
  std::string becomes;  ///< what it makes of them; empty: anything
  std::string because;
  int at = 0;  ///< its line in the file
  bool fits(const std::string &step_id, const std::string &source, const Mutant &) const;
};

/// None where there is no file.
std::vector<Equivalent> read_equivalents(const std::filesystem::path &assignment_folder,
                                         const std::string &assignment);

}  // namespace warpgrade::mutants
