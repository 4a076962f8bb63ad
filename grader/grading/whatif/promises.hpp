// What a kernel would gain if its worst lines wasted nothing: "with line 41 coalesced: 31 -> 49 TFLOPS predicted".
// One line connects it with the predictions: `predictor.further = whatif::promise`.
#pragma once

#include "predict/step.hpp"

namespace warpgrade::whatif {

inline constexpr std::size_t most_lines = 3;

/// A line whose requests move more than they need.
struct Waste {
  simt::SourceLine at;
  double share = 0;                     ///< of all bytes that the call moves
  bool sectors = false, banks = false;  ///< of global memory; of shared memory
  bool only_alignment = false;          ///< its lanes access neighbours, beginning within a sector
};
/// The first most_lines, worst first. As explain/ ranks them: 32 bytes a sector, 128 a wavefront.
std::vector<Waste> wastes_of(const predict::Call &);

/// Adds the promises of the worst lines, and of all these together, to a prediction.
void promise(const predict::Call &, const predict::Predictor::Predicted &again, predict::Prediction &);

}  // namespace warpgrade::whatif
