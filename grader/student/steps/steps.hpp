// What a student does with the steps of an assignment: grade them, explain one, look at its plan, list its
// wrong elements, run a kernel with any geometry. Each function does what one command says, prints to
// standard output and gives the exit status. Throws UsageError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/platform.hpp"
#include "setup/selection.hpp"

namespace warpgrade::steps {

struct GradeOptions {
  Common common;
  std::vector<std::string> steps;
  std::string json, junit, sarif, annotations, html, gradescope_metadata;
  std::vector<std::string> platforms;  ///< NAME=FILE: also write what this platform takes
  std::vector<std::string> notes;
  std::vector<std::string> sizes;
  std::string gpu;  ///< to predict times for; empty: the one here, or else the first with thresholds
  bool verbose = false, quiet = false, no_timing = false, reveal_hidden = false, watch = false;
  std::vector<std::string> commands;  ///< that may have been meant by a word that is not a step
};
/// What --for takes: platforms with a file for each student.
constexpr bool grades_alone(const platforms::Exports &e) {
  return e.of_student != nullptr;
}
/// ./grade: builds, runs, judges, scores and reports.
int grade(const GradeOptions &);

struct ExplainOptions {
  Common common;
  std::string step, json, svg, draw;
  int line = 0;
  bool lanes = false;
  std::vector<std::string> gpus = {};  ///< of assignments/gpus
};
/// ./grade explain: which lines of a step are slow, and why.
int explain_step(const ExplainOptions &);
/// ./grade list: the steps of the assignment, their files, points and rules.
int list_steps(const Common &);
/// The checklist that advice refers to.
int print_checklist();

struct DebugOptions {
  Common common;
  std::string step, html, element;
  std::optional<simt::Dim3> block = {};
  std::optional<std::uint32_t> warp = {}, lane = {};
  std::optional<std::uint64_t> at = {};
  int line = 0;
};
/// ./grade debug: the last moments of the warps that a failure concerns.
int debug_step(const DebugOptions &);

struct SearchOptions {
  Common common;
  std::string step, json;
  double seconds = 5;
};
/// ./grade search: a case that fails where the step's cases do not.
int search_step(const SearchOptions &);

struct ProveOptions {
  Common common;
  std::string step, json, html;
  double seconds = 10;
};
/// ./grade prove: what holds for all sizes of the contract.
int prove_step(const ProveOptions &);

struct PlanOptions {
  Common common;
  std::string step;
};
/// ./grade plan: what the launcher would launch, in words.
int print_plan(const PlanOptions &);

struct ErrorsOptions {
  Common common;
  std::string step;
  std::uint64_t most = 20;
};
/// ./grade errors: every wrong element of one product, row by row, as a driver that compares with a host's
/// product prints them.
int list_errors(const ErrorsOptions &);

struct DriverOptions {
  Common common;
  std::string kernel;
  std::vector<std::int64_t> grid, block;
  std::int64_t matrix = 1024, array = 0;
  bool check = false;
};
/// Runs one kernel with a geometry from outside, and prints how fast it was and whether it was right, in the
/// words of a driver that such kernels are often handed out with.
int drive(DriverOptions);
/// The assignment here whose kernels take their geometry from outside, and the command of ./grade that drives
/// them (`driver:` in assignment.yaml).
struct Driver {
  std::string command, assignment;
};
std::optional<Driver> find_driver();

}  // namespace warpgrade::steps
