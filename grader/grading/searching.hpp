// A search for a case that fails, directed by the code: see search/candidates.hpp.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "search/choices.hpp"

namespace warpgrade::grading {

struct SearchOptions {
  double seconds = 5;  ///< by the wall clock, without building
  /// Run all cases of the step, hidden ones too, before `of_cases` is noted; and go on after a failure.
  bool all_cases = false;
};

/// A way of a branch that a case of the search took first.
struct NewWay {
  ptx::SourceLine at;
  int to = 0;      ///< see search::Branch
  std::string by;  ///< the case
};

struct SearchResult {
  std::size_t cases = 0;    ///< that ran
  bool time_is_up = false;  ///< there were more to try
  double seconds = 0;
  std::vector<search::LineCoverage> lines;     ///< of all branches in launched kernels
  std::vector<search::LineCoverage> of_cases;  ///< the same after the step's own cases
  std::vector<NewWay> new_ways;                ///< after `of_cases`
  std::vector<std::string> not_launched;       ///< kernels that no case launched, demangled
  std::optional<judge::CaseVerdict> failed;    ///< the smallest case that fails as the first one did
  std::string found_at;                        ///< that first one, if it is another
};

}  // namespace warpgrade::grading
