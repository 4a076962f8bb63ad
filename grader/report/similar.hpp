// Metadata for programs that look for copied code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::report {

struct HandedSource {
  std::string path;  ///< below the folder of the table: "submissions/20261234/step1.cpp"
  std::string student, step;
  std::int64_t handed_in = 0;  ///< seconds since 1970
};

/// Dolos's info.csv. Its label is the step.
std::string dolos_csv(const std::vector<HandedSource> &);

}  // namespace warpgrade::report
