// The topologies that come with the simulator. Internal to links.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpgrade::links {

/// Names and texts.
const std::vector<std::pair<std::string, std::string>> &known_texts();

}  // namespace warpgrade::links
