#include "variants/written_course.hpp"

#include <fmt/format.h>

#include "base/usage.hpp"

namespace warpgrade::variants {

WrittenCourse::WrittenCourse(const std::filesystem::path &root, const Variants &all,
                             const std::string &variant, const std::string &gpu) {
  try {
    write_course(root, all, all.parse(variant), scratch_.path());
    assignment.name = all.assignment;
    assignment = course::read_assignment(folder());
    thresholds = course::read_thresholds(folder(), assignment, gpu);
  } catch (const course::ConfigError &e) {
    // Files are named as in the course: those of the variant are gone when somebody reads this.
    std::string what = e.what();
    const std::string written = scratch_.path().string() + "/";
    for (std::size_t at = 0; (at = what.find(written, at)) != std::string::npos;)
      what.erase(at, written.size());
    throw UnreadableVariant(fmt::format("variant '{}': {}", variant, what));
  } catch (const UsageError &e) {
    throw UnreadableVariant(fmt::format("variant '{}': {}", variant, e.what()));
  }
}

Variants demand_variants(const std::filesystem::path &assignment_folder, const std::string &assignment) {
  auto all = read_variants(assignment_folder);
  if (!all) throw UsageError(assignment + " has no variants any more");
  return std::move(*all);
}

}  // namespace warpgrade::variants
