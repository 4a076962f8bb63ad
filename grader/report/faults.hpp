// Where in a student's files something is wrong, for what points at lines: formats, and editors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/discreet.hpp"

namespace warpgrade::report {

struct Fault {
  enum class Level : std::uint8_t { note, warning, error };
  std::string rule;  ///< the code of a finding, or a verdict
  Level level = Level::error;
  std::string text;
  std::string file;          ///< relative to the submission
  int line = 0;              ///< 0: of no line
  bool consequence = false;  ///< of another one, possibly
};
/// As SARIF writes it: "note", "warning", "error".
std::string_view name_of(Fault::Level);

/// Every finding, what the compiler said by line, and one fault for each step that was not accepted and has no finding that is an error.
/// Steps on which the grader failed have none: that is not the student's fault.
std::vector<Fault> faults_of(const Discreet &);

/// The case that tells most about a step that was not accepted.
struct TellingCase {
  std::string name;     ///< "m=n=k=33"; empty: there is none
  std::string options;  ///< of ./grade that repeat it: --case "m=n=k=33" --seed 42; without a case, the seed
};
TellingCase telling_case_of(const Discreet &, const grading::StepRecord &);

}  // namespace warpgrade::report
