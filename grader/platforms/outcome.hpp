// What platforms that show each step of a student by itself say about it. Internal to platforms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platforms/grades.hpp"

namespace warpgrade::platforms {

using Json = nlohmann::ordered_json;

/// Null unless finite.
Json number(double);
/// "wrong_answer: 3 of 9 elements of C are wrong"
std::string outcome(const StepGrade &);
/// "step1: Coalesced accesses (extra credit)"
std::string title_of(const StepGrade &);

}  // namespace warpgrade::platforms
