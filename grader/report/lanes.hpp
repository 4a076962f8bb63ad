// Code shared by the drawings of lanes. Internal to report.
#pragma once

#include <string>

#include "explain/explain.hpp"
#include "explain/lanes.hpp"

namespace warpgrade::report {

/// "0-3,8"
std::string lane_list(const explain::Lanes &);
/// "load of A, 4 bytes a lane", safe for a terminal
std::string access_title(const explain::Access &);
/// The same with the cost and the owner of this request.
std::string sample_title(const explain::Access &);

}  // namespace warpgrade::report
