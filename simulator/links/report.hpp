// What was counted and predicted, in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "links/schedule.hpp"

namespace warpgrade::links {

/// For people: links, the busiest, bytes by line, the prediction.
std::string report(const Topology &, const std::vector<Operation> &, const Schedule &);
/// The member `links` of `simt run --json`.
nlohmann::json report_json(const Topology &, const std::vector<Operation> &, const Schedule &);

}  // namespace warpgrade::links
