// What the students of a class are scored by: the files as they are or, where a student has a variant, those of
// the variant.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "batch/scoring.hpp"
#include "gradebook/class_run.hpp"
#include "variants/written_course.hpp"

namespace warpgrade::gradebook {

/// thresholds: of the device that the class was graded on
using VariantCourse = variants::WrittenCourse;

/// The courses of a class's variants, each written when a student first needs it.
class VariantCourses {
 public:
  /// The class's course must live as long.
  explicit VariantCourses(const ClassCourse &course) : course_(course) {}
  /// By the marks of the files that count. Null: the files as they are. Throws UsageError or course::ConfigError
  /// where a variant cannot be read any more.
  const VariantCourse *of(const batch::Store &, const batch::Student &);
  /// That of a variant by its name. Throws likewise.
  const VariantCourse &named(const batch::Store &, const std::string &variant);

 private:
  std::string name_of(const batch::Store &, const batch::Student &) const;
  std::unique_ptr<VariantCourse> read(const batch::Store &, const std::string &variant);

  const ClassCourse &course_;
  std::optional<variants::Variants> all_;
  std::map<std::string, std::unique_ptr<VariantCourse>> courses_;  // by the name of the variant
};

/// The conditions under which files of a class are graded: of a variant's files, those of its own course. They change
/// with what a variant means, and not with how variants.yaml says it. Courses are read once.
class ConditionsOfVariants {
 public:
  /// The class's course must live as long.
  explicit ConditionsOfVariants(const ClassCourse &course) : course_(course) {}
  /// variant  its name; empty: the files as they are. Throws UsageError or course::ConfigError where it cannot be read.
  batch::Grading of(const batch::ClassSetup &, const course::Step &, const std::string &variant);

 private:
  const ClassCourse &course_;
  std::optional<variants::Variants> all_;
  std::map<std::string, std::unique_ptr<VariantCourse>> courses_;  // by the name of the variant
};

/// The fingerprint under which the result of a file of a variant will be stored. Empty: the file has none, and the
/// conditions are those with which workers begin.
using ConditionsOfTask = std::function<std::string(const batch::Task &)>;
/// The store must live as long.
ConditionsOfTask conditions_that_count(const batch::Store &);
/// Of a preview, as it is now.
ConditionsOfTask conditions_of_preview(const batch::Store &);
/// What a worker is told after the step: it ends where the variant that it reads has other conditions.
std::string told_of(const std::string &conditions, const std::string &file);
/// Whether the files of the course say something else of a variant by now: that may be why a worker ended.
/// conditions  what ConditionsOfTask gave. Throws variants::UnreadableVariant.
bool variant_has_changed(const ClassGrader &, const std::string &step, const std::string &variant,
                         const std::string &conditions);

/// thresholds  of the class's device, for students without a variant. The course must live as long as the
/// function, which throws as VariantCourses does.
batch::RulesOf rules_of(const ClassCourse &, course::Thresholds thresholds);
/// The same with the thresholds of the device that the class was graded on.
batch::RulesOf rules_of(const batch::Store &, const ClassCourse &);

}  // namespace warpgrade::gradebook
