// What is true of the kernels that an assignment asks questions about, counted in its solutions.
#pragma once

#include <filesystem>
#include <string>

#include "course/assignment.hpp"
#include "setup/tools.hpp"

namespace warpgrade::authoring {

/// The whole text of facts.yaml; "" for an assignment that asks nothing. Throws std::runtime_error with the
/// question that cannot be counted.
std::string facts_yaml(const course::Assignment &, const Machine &, const std::filesystem::path &solutions);

}  // namespace warpgrade::authoring
