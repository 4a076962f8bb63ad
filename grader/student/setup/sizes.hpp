// Sizes as a command line names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade {

/// "2048" or "256:4096:256", both ends included, each. Throws UsageError.
std::vector<std::int64_t> sizes_of(const std::vector<std::string> &texts);

/// Those at which these steps, all of one problem, are timed for points, each once; those of the counters
/// when none is, or without a GPU.
std::vector<problem::Given> timed_sizes(const course::Thresholds &, bool gpu,
                                        const std::vector<const course::Step *> &);

}  // namespace warpgrade
