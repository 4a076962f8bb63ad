// submission_metadata.json: what Gradescope tells an autograder about the submission that it runs on.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpgrade::steps {

struct GradescopeMetadata {
  std::string id;                           ///< of the submission
  std::vector<std::string> users;           ///< names or addresses; several: a group
  std::optional<double> total_points;       ///< of the assignment there
  std::optional<double> best_score_before;  ///< of earlier submissions on which the autograder did not fail
};

/// Fields that are not there, or of another type, are left out: none of them is needed to grade. Throws
/// UsageError for text that is no JSON.
GradescopeMetadata gradescope_metadata(const std::string &json);

}  // namespace warpgrade::steps
