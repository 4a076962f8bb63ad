// The conditions of a measurement, as sentences and as JSON.
#pragma once

#include <string>

#include "report/json.hpp"
#include "score/conditions.hpp"

namespace warpgrade::report {

/// "SM clock 1980 MHz, up to 41 °C and 346 W", and what was unusual; empty when nothing is known.
std::string conditions_text(const score::Conditions &);
Json conditions_to_json(const score::Conditions &);

}  // namespace warpgrade::report
