// A class as the formats of other systems take it: from the store, into what report/ renders.
#pragma once

#include <string>

#include "batch/scoring.hpp"
#include "report/grades.hpp"

namespace warpgrade::batch {

struct Export {
  report::ClassGrades grades;
  /// Students whose points differ from what the YAML gives now: `rescore` was not run.
  std::vector<std::string> outdated;
};

/// Points are those that grades.csv has.
Export export_of(const Store &, const course::Assignment &, const course::Thresholds &);

}  // namespace warpgrade::batch
