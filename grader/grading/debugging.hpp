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
  bool any = false;          ///< the first warp of all if nothing is wrong
  std::string element = {};  ///< "C[0][32]": the warp that wrote this result, right or wrong
};

/// Whether a case has a result of that name: "C[0][32]" or "C[0, 32]".
bool is_result(const problem::Problem &, const problem::Case &, const std::string &element);

}  // namespace warpgrade::grading
