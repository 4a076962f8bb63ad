// What a result depends on besides the student's file, and the hash that identifies it.
#pragma once

#include <filesystem>
#include <string>

#include "batch/store.hpp"
#include "course/assignment.hpp"
#include "score/step_record.hpp"

namespace warpgrade::batch {

/// What grades a class here and now.
struct ClassSetup {
  const course::Assignment *assignment = nullptr;
  const course::Thresholds *thresholds = nullptr;  ///< of the device: which size is timed
  std::filesystem::path assignment_folder;         ///< with the YAML files
  std::filesystem::path starter;
  std::uint64_t seed = 0;
  grading::DeviceRecord device;
  std::string front_end;  ///< "nvcc 13.0"
  std::string version;    ///< of warpgrade
  std::string sandbox;    ///< for people: the sandbox of the student code
};

/// Points, counter thresholds and speed thresholds are not conditions: scores are computed from results.
/// Everything else that can change a record of this step is one. Of files with a variant, these are the conditions of
/// the variant's own course: whoever has none does not depend on the file of variants.
Grading grading_of(const ClassSetup &, const course::Step &);

/// One hash over the conditions of all steps that are graded, and over the file of variants: processes that grade
/// the same class agree on it.
std::string fingerprint_of(const ClassSetup &);

/// The keys in which two sets of conditions differ, for people: "cases, seed".
std::string difference(const std::string &conditions, const std::string &other);

}  // namespace warpgrade::batch
