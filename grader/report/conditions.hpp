// The conditions of a measurement, as sentences and as JSON.
#pragma once

#include <optional>
#include <string>

#include "report/json.hpp"
#include "report/report.hpp"
#include "score/conditions.hpp"
#include "score/score.hpp"

namespace warpgrade::report {

/// "SM clock 1980 MHz, up to 41 °C and 346 W", and anything unusual; empty if nothing is known.
std::string conditions_text(const score::Conditions &);
/// That the thresholds of the GPU that graded were predicted; empty if they were not.
std::string remark_on_thresholds(const Report &);
/// That thresholds were measured with another compiler; empty if that cost no points.
std::string compiler_remark(const std::string &front_end, const std::optional<score::Performance> &);
Json conditions_to_json(const score::Conditions &);

}  // namespace warpgrade::report
