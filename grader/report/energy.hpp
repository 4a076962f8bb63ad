// The energy of a run, in words and in JSON.
#pragma once

#include <string>
#include <string_view>

#include "report/json.hpp"
#include "score/step_record.hpp"

namespace warpgrade::report {

/// "0.31 J per run ± 2 %, at 415 W; cuBLAS 0.29 J ± 2 %", or why there is no figure; "" if none was wanted.
std::string energy_text(const grading::PerformanceRecord &, std::string_view library);
/// Null if it was not wanted; else its figures, or `reason`.
Json energy_to_json(const std::optional<run::Energy> &);

}  // namespace warpgrade::report
