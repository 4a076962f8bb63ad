// One case run once more with a recording of the warps that matter: those that a finding names, or the one
// that wrote the first wrong element. Takes a step, its build and a case; gives the simulator's recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/grading.hpp"
#include "trace/recording.hpp"

namespace warpgrade::grading {

/// A recorded case.
struct Debugging {
  problem::Case values;
  bool failed = false;
  std::optional<simt::Recording> recording;
  std::optional<simt::RecordedWord> word;  ///< the first wrong element, where no finding says what is wrong
  std::string summary;                     ///< what is wrong, or why nothing was recorded
};

/// Which warp is wanted; nothing: the one that matters.
struct DebugWish {
  std::optional<simt::Dim3> block;
  std::optional<std::uint32_t> warp;
  bool any = false;  ///< the first warp of all if nothing is wrong
};

}  // namespace warpgrade::grading
