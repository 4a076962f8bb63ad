// The grades of one submission, from its report.
#pragma once

#include <string>

#include "platforms/grades.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

/// One submission that is graded by itself, outside of a class. Its source, `submission`, is for the student
/// to read.
platforms::StudentGrades grades_of(const Report &, const std::string &submission);

/// The line that StepGrade::line holds.
int line_of_error(const grading::StepRecord &);

}  // namespace warpgrade::report
