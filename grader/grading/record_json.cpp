#include "grading/record_json.hpp"

#include <stdexcept>

#include "grading/record_fields.hpp"

namespace warpgrade::grading {

namespace {

template <class Record>
Record record_of(const std::string &text) {
  try {
    return json::read<Record>(json::Json::parse(text));
  } catch (const json::Json::exception &e) {
    throw std::runtime_error(std::string("this is not a record: ") + e.what());
  }
}

}  // namespace

std::string to_json(const StepRecord &record) {
  return json::write(record).dump();
}
std::string to_json(const SubmissionRecord &record) {
  return json::write(record).dump();
}
StepRecord step_record_of(const std::string &text) {
  return record_of<StepRecord>(text);
}
SubmissionRecord submission_record_of(const std::string &text) {
  return record_of<SubmissionRecord>(text);
}

}  // namespace warpgrade::grading
