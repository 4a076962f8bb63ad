// Grades the cases of an assignment: makes mutants of its solutions and looks which of them the cases let pass.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::harden {

struct HardenOptions {
  std::string assignment;
  std::vector<std::string> steps;  ///< none: all that have a kernel and points
  std::string json;
  std::string state = "build/harden";  ///< where results are kept, so that the same command goes on
  std::string toolchain = "auto";      ///< auto: clang where it is, since it compiles faster
  double minutes = 10;                 ///< for all steps together; what is left then stays for the next run
  bool no_sandbox = false;
  std::string write;  ///< the mutants go to this folder, and none is run
};
/// ./gradebook harden: prints a table for each step, and each mutant that no case kills, with the case that would. Gives
/// the exit status: 0 if at least 97 % of the mutants that differ from the solution are killed in every step.
int harden(const HardenOptions &);

/// Each mutant as a submission of its own, "FOLDER/STEP/7/step1.cu", and their list, "FOLDER/mutants.json".
void write_mutants(const course::Assignment &, const std::vector<const course::Step *> &,
                   const std::filesystem::path &solutions, const std::filesystem::path &folder);

}  // namespace warpgrade::harden
