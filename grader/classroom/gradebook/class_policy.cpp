#include "gradebook/class_policy.hpp"

#include <fmt/format.h>

#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// Of a class that has begun.
std::optional<course::WithoutGpu> begun_with(const batch::Store &store) {
  const std::optional<batch::ClassInfo> info = store.info();
  return info ? std::optional(info->without_gpu) : std::nullopt;
}

}  // namespace

void count_as_before(const batch::Store &store, ClassCourse &course) {
  course.assignment.without_gpu = begun_with(store).value_or(course.without_gpu_now);
}

bool settle_policy(const batch::Store &store, ClassCourse &course, const std::string &said) {
  const std::string_view now = course::name_of(course.without_gpu_now);
  if (!said.empty() && said != now)
    throw UsageError(fmt::format(
        "--without-gpu {}: assignment.yaml says 'without_gpu: {}'; change it there first, so that "
        "kits say the same",
        said, now));
  const std::optional<course::WithoutGpu> before = begun_with(store);
  const bool changes = before && *before != course.without_gpu_now;
  if (changes && said.empty())
    throw UsageError(fmt::format(
        "this class is graded with 'without_gpu: {0}', but assignment.yaml now says '{1}'. To change "
        "everybody's points, add --without-gpu {1} to 'gradebook run', 'regrade --all' or 'rescore'; to "
        "keep them, write {0} into assignment.yaml again. Nothing was changed",
        course::name_of(*before), now));
  course.assignment.without_gpu = course.without_gpu_now;
  return changes;
}

void demand_one_kind_of_speed(const course::Assignment &a, const grading::DeviceRecord &before,
                              const grading::DeviceRecord &now, const std::string &said) {
  const bool same = before.name.empty() || before.gpu == now.gpu;
  if (a.without_gpu != course::WithoutGpu::predicted || same || !said.empty()) return;
  throw UsageError(fmt::format(
      "the points for speed of this class are {0}, and here they would be {1}; the two never count in one "
      "class. To grade all of it again here, say --device {2} --without-gpu predicted",
      before.gpu ? "measured on " + before.name : "predicted for " + a.predict_for,
      now.gpu ? "measured on " + now.name : "predicted for " + a.predict_for, now.gpu ? "gpu" : "sim"));
}

std::string remark_on_policy(const batch::Store &store, const ClassCourse &course) {
  const std::optional<course::WithoutGpu> before = begun_with(store);
  if (!before || *before == course.without_gpu_now) return "";
  return fmt::format(
      "This class is graded with 'without_gpu: {0}', but assignment.yaml now says '{1}'; 'gradebook rescore' "
      "with "
      "--without-gpu {1} changes the class to that.",
      course::name_of(*before), course::name_of(course.without_gpu_now));
}

}  // namespace warpgrade::gradebook
