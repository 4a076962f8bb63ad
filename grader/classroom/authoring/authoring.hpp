// What the author of an assignment does: make one, count the facts of its questions, fill in its handout,
// propose thresholds, check it. Each function does what one command says and gives the exit status. Throws
// UsageError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::authoring {

/// ./gradebook new: an assignment from templates/, which lint accepts. title  empty: the name
/// problem  with a problem of its own, which a build must compile first
int make_assignment(const std::string &name, std::string title, bool problem);

/// Throws UsageError unless it is the name of an assignment that the course does not have yet.
void require_new_assignment(const std::filesystem::path &root, const std::string &name);
/// Makes starter/NAME from solutions/NAME with the tools of a checkout.
void make_starter(const std::filesystem::path &checkout, const std::filesystem::path &root,
                  const std::string &name);

/// ./gradebook facts: counts in the solutions what the questions of an assignment ask for, and writes
/// facts.yaml.
int write_facts(const Common &);

struct HandoutOptions {
  std::vector<std::string> names;  ///< of assignments; none: all that have a handout
  std::string out = "build/handouts";
  bool no_sandbox = false;
};
/// ./gradebook handout: fills in handouts/NAME.md. Runs the solutions on the simulator for its pictures and
/// counters, and grades the submissions whose mistakes it shows.
int fill_in_handouts(HandoutOptions);
/// What is wrong with handouts/NAME.md once it is filled in: nothing, or what fill_in_handouts says.
std::vector<std::string> mistakes_in_whole_handout(const std::filesystem::path &root,
                                                   const std::string &name);

struct CalibrateOptions {
  Common common;
  std::string out;   ///< empty: the file of this GPU in the assignment's thresholds/
  bool yes = false;  ///< replace a file without asking
  /// Not empty: predict for these GPUs of assignments/gpus instead; "all": each that has no other thresholds.
  std::vector<std::string> predict = {};
};
/// ./gradebook calibrate: measures the solutions on this machine's GPU and proposes thresholds for it.
int calibrate(CalibrateOptions);

struct MachineOptions {
  std::string out;   ///< empty: the file of this GPU in assignments/gpus
  bool yes = false;  ///< replace a file without asking
};
/// ./gradebook calibrate --machine: describes this machine's GPU for predictions, from microbenchmarks.
int calibrate_machine(const MachineOptions &);

struct TableOptions {
  std::string into;    ///< a file with marks, between which the table goes; empty: it is printed
  bool pages = false;  ///< links lead to NAME.html, else to handouts/NAME.md
};
/// ./gradebook table: the assignments that have `course` in their YAML, as a table in Markdown.
int write_course_table(const TableOptions &);

/// ./gradebook lint: looks for what students would stumble over. names  none: all
/// grade  also grade solutions and starter on the simulator, count the facts again and fill in the handout:
/// minutes
int lint(std::vector<std::string> names, bool grade, bool search);

}  // namespace warpgrade::authoring
