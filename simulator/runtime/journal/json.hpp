// The structures of journal.hpp as JSON, for the journal itself and for `simt run --json`. Internal to
// cudart.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/journal/journal.hpp"

namespace warpgrade::cuda {

nlohmann::json json_of(const Finding &);
nlohmann::json json_of(const KernelTotals &);
/// throws nlohmann::json::exception when something is missing
KernelTotals totals_of(const nlohmann::json &);

}  // namespace warpgrade::cuda
