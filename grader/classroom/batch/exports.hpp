// A class as the formats of other systems take it: from the store, into what report/ renders.
#pragma once

#include <string>

#include "batch/scoring.hpp"
#include "platforms/grades.hpp"

namespace warpgrade::batch {

struct Export {
  platforms::ClassGrades grades;
  /// Students whose points differ from what the YAML gives now: `rescore` was not run.
  std::vector<std::string> outdated;
};

/// Points are those that grades.csv has.
Export export_of(const Store &, const course::Assignment &, const RulesOf &);

}  // namespace warpgrade::batch
