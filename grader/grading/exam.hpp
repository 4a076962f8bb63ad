// The records of a step of `kind: viva`: nothing is built or run for it.
#pragma once

#include <string>
#include <vector>

#include "course/assignment.hpp"
#include "score/step_record.hpp"

namespace warpgrade::grading {

/// Of a student whose exam is still to come: no points yet, and no failure.
StepRecord exam_to_come(const course::Step &);

/// A question of an exam as it was answered. Which answer is right is not said: the exam may be taken again.
struct ExamAnswer {
  std::string topic;
  bool answered = false, right = false;
};
/// At least one answer.
StepRecord exam_taken(const course::Step &, const std::vector<ExamAnswer> &);

}  // namespace warpgrade::grading
