// How a file of thresholds writes sizes and numbers. Internal to authoring.
#pragma once

#include <string>
#include <string_view>

#include "course/assignment.hpp"

namespace warpgrade::authoring {

/// Two significant digits: a threshold is a round number.
double rounded(double);
/// A size as the YAML has it: its extents, and the other numbers where they do not follow from these.
std::string size_text(const course::Step &, const problem::Case &);
/// library  its word if the value is a share of it, else ""
std::string threshold_text(double value, std::string_view library);

}  // namespace warpgrade::authoring
