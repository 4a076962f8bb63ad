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
/// Points as a share of all points, 0 to 1.
double share_of(const StudentGrades &);
/// "93.5 of 100 points", with those that are not yet decided.
std::string points_of(const StudentGrades &);
/// "step1: Coalesced accesses (extra credit)"
std::string title_of(const StepGrade &);

}  // namespace warpgrade::platforms
