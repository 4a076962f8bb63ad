// What a step would gain if its worst lines wasted nothing, and what has come of earlier promises, in words and as
// JSON. Takes predictions; whatif/ makes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/step.hpp"
#include "report/json.hpp"

namespace warpgrade::report {

/// "with line 41 coalesced: 3120 → 4900 GFLOPS predicted (3920 to 6125)", one for each promise. Untrusted.
std::vector<std::string> promises_in_words(const predict::StepPrediction &);
/// "line 41 coalesced: promised 4900 GFLOPS (from 3120), predicted now 4712, measured 4650". Untrusted.
std::vector<std::string> kept_in_words(const predict::StepPrediction &,
                                       const std::optional<double> &measured);
/// The promises, and under "kept" those of an earlier version; empty where there are none.
void put_what_if(Json &, const predict::StepPrediction &);
/// For `grade explain`: the same with the GPU and the present rate; empty without promises.
std::vector<std::string> what_if_lines(const predict::StepPrediction &);

}  // namespace warpgrade::report
