// Sizes as a command line names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::apps {

/// "2048" or "256:4096:256", both ends included, each. Throws UsageError.
std::vector<std::int64_t> sizes_of(const std::vector<std::string> &texts);

}  // namespace warpgrade::apps
