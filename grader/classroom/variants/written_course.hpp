// The course of a variant, written into a folder of its own and read.
#pragma once

#include <filesystem>
#include <string>

#include "base/scratch.hpp"
#include "course/assignment.hpp"
#include "variants/variants.hpp"

namespace warpgrade::variants {

/// There is no such variant, or its files cannot be read. what() names it. Others may be as they should.
class UnreadableVariant : public course::ConfigError {
 public:
  using course::ConfigError::ConfigError;
};

struct WrittenCourse {
  /// root: of the course that has the variants. gpu: whose thresholds are wanted; "none" without one. Throws
  /// UnreadableVariant.
  WrittenCourse(const std::filesystem::path &root, const Variants &, const std::string &variant,
                const std::string &gpu);
  std::filesystem::path root() const { return scratch_.path(); }
  std::filesystem::path folder() const { return root() / "assignments" / assignment.name; }
  std::filesystem::path starter() const { return root() / "starter" / assignment.name; }

  course::Assignment assignment;
  course::Thresholds thresholds;

 private:
  Scratch scratch_;
};

/// Throws UsageError where the assignment has no variants any more.
Variants demand_variants(const std::filesystem::path &assignment_folder, const std::string &assignment);

}  // namespace warpgrade::variants
