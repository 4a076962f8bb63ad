// Points that nobody has decided yet, in the grades that go to another system, and what a service adds to grades.
#pragma once

#include <string>

#include "gradebook/gradebook.hpp"
#include "platforms/grades.hpp"

namespace warpgrade::gradebook {

/// "10 of 100 points wait for a GPU, for 1 student"; empty: none wait. `gpu`: the class is graded on one, so
/// they wait for another measurement.
std::string points_that_wait(const platforms::ClassGrades &, bool gpu);
/// What the instructor can do about them: the beginning of a sentence.
std::string what_decides_them(const platforms::ClassGrades &, bool gpu);

void add_notes(platforms::ClassGrades &, const FromService &);
/// Of students in FromService::undecided.
inline constexpr const char *points_to_carry_out =
    "points given by hand on the service's pages are not applied yet: wait a few seconds, or start the "
    "service, then run this command again";
/// Where FromService::unread says why.
inline constexpr const char *decisions_unread =
    "answers to disputes, and points that the service has not applied yet, cannot be checked";

}  // namespace warpgrade::gradebook
