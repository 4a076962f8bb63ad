// Fills in a handout with figures of the course, of the simulator and of a measurement. All of its numbers
// come from these; a typed number is an error, and so is a TODO(n) of the starter that the handout does not
// mention.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "course/handout.hpp"
#include "explain/playback.hpp"
#include "judge/measure.hpp"
#include "report/drawings.hpp"
#include "report/measured.hpp"

namespace warpgrade::report {

/// What the grader said about a course::Mistake.
struct MistakeShown {
  std::string name, step, file;
  std::string verdict;    ///< "out_of_bounds"
  std::string case_name;  ///< empty if counters were explained
  std::string says;       ///< what was found, or the advice
  int line = 0;           ///< of the file; 0: none
  std::string report;     ///< as a terminal shows it; empty if counters were explained
};

/// A course::Tour that was recorded.
struct TourShown {
  std::string file, source;
  explain::Playback playback;
};

struct HandoutFacts {
  const course::Assignment &assignment;
  std::vector<course::Thresholds> thresholds;     ///< of every file
  std::map<std::string, std::string> starters;    ///< text of the starter's files, by step
  std::map<std::string, std::string> headers;     ///< those of Step::headers, by name
  std::map<std::string, judge::Counted> counted;  ///< of the solutions at Assignment::counters_on, by step
  std::optional<Measured> measured;
  std::map<std::string, Drawing> drawings;  ///< by name
  std::vector<MistakeShown> mistakes;
  std::optional<Measured> compared = {};             ///< measurements of another GPU
  std::map<std::string, TourShown> recordings = {};  ///< by name
};

/// Mistakes in a handout, each with file and line.
class HandoutError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The mistakes in a handout's text, as "file:line: what, and what to do": typed numbers; a TODO(n) of a
/// starter file that is not mentioned under a heading with that file's name, and the reverse; steps without
/// such a heading.
std::vector<std::string> mistakes_in(const course::Handout &, const HandoutFacts &);

/// The Markdown with everything filled in, pictures included. Throws HandoutError for mistakes_in(), for
/// unknown placeholders, and for pictures and mistakes in the head that the text does not use.
std::string expand_handout(const course::Handout &, const HandoutFacts &);

}  // namespace warpgrade::report
