// What a wrong result depends on. One input is changed at a time, and the program runs again: results that
// change and should not, or should and do not, say more about a mistake than wrong numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace warpgrade::grading {

/// Runs the program on these inputs. None if it does not end well.
using RunAgain =
    std::function<std::optional<std::vector<run::HostBuffer>>(const std::vector<run::HostBuffer> &inputs)>;

/// Another value, which any sum notices.
inline float other_than(float x) {
  return x == 0 ? 1 : -2 * x;
}

/// Of the first wrong result: "y[3] does not change with value[17], and should", or "y[3] changes with
/// value[18], which belongs to y[4]". Changes elements of type float that may have any value
/// (Problem::may_exchange). Empty if a few runs show nothing, or if the case is large.
/// outputs: what the program makes of `inputs`
std::string wrong_influence(const problem::Problem &, const problem::Case &,
                            const std::vector<run::HostBuffer> &inputs,
                            const std::vector<run::HostBuffer> &outputs, double tolerance,
                            const RunAgain &run_again);

}  // namespace warpgrade::grading
