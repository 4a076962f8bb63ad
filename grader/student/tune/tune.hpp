// A step with other values of its constants, each built, checked and measured.
#pragma once

#include <string>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::tune {

struct TuneOptions {
  Common common;
  std::string step;
  std::vector<std::string> definitions;  ///< "BM=64,128", each value in combination with those of the others
  std::vector<std::string> sets;         ///< "BX=32 BY=8": constants that change together
  std::vector<std::string> sizes;        ///< where to measure: "2048", or "m=67 n=1 k=129"
};
/// ./grade tune: prints a table a size, and the variants that were not possible. Gives the exit status.
/// Throws UsageError.
int tune(const TuneOptions &);

}  // namespace warpgrade::tune
