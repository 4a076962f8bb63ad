// What a search for a failing case has found, for people and programs. Takes the result; decides nothing.
#pragma once

#include <string>
#include <vector>

#include "grading/searching.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

struct SearchView {
  const grading::SearchResult &search;
  std::string title;  ///< "hw6 step0"
  std::string debug;  ///< the command that goes through the case that failed; empty without one
};

/// "one of the 3 branches here never leads to line 22 or to the end of the kernel": the ways of this line that were never
/// taken; empty if all were.
std::string ways_never_taken(const search::LineCoverage &);

std::string search_to_terminal(const SearchView &, const Style &);
/// schema warpgrade.search/1
std::string search_to_json(const SearchView &, const course::Assignment &, const std::string &step);

}  // namespace warpgrade::report
