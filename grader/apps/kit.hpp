// What students get of an assignment: which files, and where they lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batch/tarball.hpp"

namespace warpgrade::apps {

struct Kit {
  std::vector<batch::PackedFile> files;  ///< paths begin with the assignment's name
  std::vector<std::string> missing;      ///< sentences about what a kit should have and this one has not
};

/// The starter; beside it the program, the headers for clang, assignment.yaml and thresholds, and the handout
/// where there is one. Nothing else of the course is read. Throws UsageError where there is no starter for a
/// step, where one still has the marks of a solution, or where a file cannot be read.
Kit make_kit(const std::filesystem::path &root, const std::string &assignment,
             const std::filesystem::path &program, const std::filesystem::path &handouts);

/// The glibc that a program asks for, "2.34", from the versions of symbols in it; empty where it names none.
std::string glibc_of(const std::string &program);

}  // namespace warpgrade::apps
