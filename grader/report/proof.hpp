// What holds of a step for all sizes, for people and programs. Takes properties; decides nothing.
#pragma once

#include <string>
#include <vector>

#include "grading/proving.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// "every access is within its buffer"
std::string property_in_words(const std::string &property);
/// "proved", "fails at m=3 n=1 k=1: step0.cu:22: …", "not decided: step0.cu:22: …"
std::string result_in_words(const grading::PropertyRecord &);
/// "bounds and races proved for all sizes; written: not decided, line 61"; empty where nothing
/// fails and neither bounds nor races are proved.
std::string properties_in_a_line(const std::vector<grading::PropertyRecord> &);

/// A property for which the step has points: "bounds: 2/2 points, proved for all sizes".
struct PropertyPoints {
  std::string text;
  bool lost = false;
};
std::vector<PropertyPoints> properties_with_points(const course::Step &,
                                                   const std::vector<grading::PropertyRecord> &);
/// "2/2", "0/2", "2 wait"; empty where the step has no points for it.
std::string points_of_property(const course::Step &, const grading::PropertyRecord &);

struct ProofView {
  const grading::Proof &proof;
  std::string title;  ///< "hw6 step0"
};
std::string proof_to_terminal(const ProofView &, const Style &);
/// A page by itself.
std::string proof_to_html(const ProofView &);
/// schema warpgrade.proof/1
std::string proof_to_json(const ProofView &, const course::Assignment &, const std::string &step);

}  // namespace warpgrade::report
