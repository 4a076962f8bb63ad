// Points that nobody has decided yet, in the grades that go to another system.
#pragma once

#include <string>

#include "platforms/grades.hpp"

namespace warpgrade::gradebook {

/// "10 of 100 points wait for a GPU, for 1 student"; empty: none wait. `gpu`: the class is graded on one, so
/// they wait for another measurement.
std::string points_that_wait(const platforms::ClassGrades &, bool gpu);
/// What the instructor can do about them: the beginning of a sentence.
std::string what_decides_them(const platforms::ClassGrades &, bool gpu);

}  // namespace warpgrade::gradebook
