// What a command works on: the options that several commands share, and the assignment, folder and steps that
// they select.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "setup/course_root.hpp"

namespace warpgrade {

struct Common {
  std::string submission, assignment, device = "auto", toolchain = "auto", one, size, ones;
  std::optional<std::uint64_t> seed;
  bool no_sandbox = false;

  DeviceChoice device_choice() const;
  /// From --case or --size. Throws UsageError.
  std::optional<course::Case> one_case(const course::Step &) const;
  /// That one, or the case at which the step's counters are read. Throws UsageError.
  problem::Case case_to_look_at(const course::Step &) const;
};

struct Course {
  std::filesystem::path root, submission;
  course::Assignment assignment;
};
/// Finds and reads the assignment and the folder to grade. Throws UsageError or course::ConfigError.
Course open_course(const Common &, const std::vector<std::string> &steps);

/// The whole case of a step that these numbers begin. Throws UsageError.
problem::Case case_of(const course::Step &step, const problem::Given &given);

/// Throws UsageError with the steps that there are.
const course::Step &find_step(const course::Assignment &, const std::string &id);
/// The same, of a step that is not a file of answers.
const course::Step &find_kernel(const course::Assignment &a, const std::string &id);

/// "./grade STEP --assignment hw6 --submission DIR": what comes before a case's own options in a command that
/// repeats something; `step` may be a mark to be replaced.
std::string command_again(const Common &, const course::Assignment &, const std::filesystem::path &submission,
                          const std::string &step);

/// The steps named, each once; all that the course asks for when none is named. Throws UsageError.
std::vector<const course::Step *> pick_steps(const course::Assignment &, const std::vector<std::string> &ids);

/// One that nobody knows, of the operating system: 64 bits.
std::uint64_t fresh_seed();
/// The seed asked for or the course's, and all cores for the simulator.
grading::Options grading_options(const Common &, const course::Assignment &);

/// How standard output is written: in colour on a terminal that wants it, and as wide as that is, or as
/// COLUMNS says.
report::Style terminal_style(bool verbose = false, bool quiet = false);

}  // namespace warpgrade
