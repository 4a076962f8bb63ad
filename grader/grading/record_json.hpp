// Records as JSON and back, without loss: what a class's store keeps and what grading processes answer with.
#pragma once

#include <string>

#include "score/step_record.hpp"

namespace warpgrade::grading {

/// One line of UTF-8. What has its default value is left out.
std::string to_json(const StepRecord &);
std::string to_json(const SubmissionRecord &);
/// Throws std::runtime_error with the reason when the text is not a record.
StepRecord step_record_of(const std::string &json);
SubmissionRecord submission_record_of(const std::string &json);

}  // namespace warpgrade::grading
