// The place of an assignment in a course: `course` in assignment.yaml. For the table of the course; it has no
// effect on grading.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade::course {

class Yaml;

/// The textbook whose chapters `chapters` counts.
inline constexpr const char *textbook =
    "Hwu, Kirk, El Hajj: Programming Massively Parallel Processors, 4th edition (2022)";

struct Syllabus {
  std::string teaches;        ///< "prefix sums, looking back, compaction"; in Markdown
  std::vector<int> chapters;  ///< of the textbook, ascending
  double hours = 0;           ///< that a student needs
  bool operator==(const Syllabus &) const = default;
};

/// course: {teaches: "...", chapters: [11], hours: 8}. Throws ConfigError.
Syllabus read_syllabus(const Yaml &);
/// The same from assignment.yaml of `folder`; none if it has no such key.
std::optional<Syllabus> find_syllabus(const std::filesystem::path &folder);
/// Assignment::driver, without reading the rest. Throws ConfigError.
std::string find_driver(const std::filesystem::path &folder);

}  // namespace warpgrade::course
