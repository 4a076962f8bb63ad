// What ./gradebook does with a class. Each function does what one command says, prints to standard output and
// gives the exit status. Throws UsageError, course::ConfigError, batch::StoreError. `folder` is that of the
// class: what --out of 'gradebook run' named.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batch/take_in.hpp"
#include "gradebook/class_run.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::gradebook {

struct RunOptions {
  GradingWords grading;
  std::string submissions, out;
  batch::TakeInOptions take_in;
  std::string secret = {};  ///< the file of secrets from which variants follow; empty: that of the course
};
/// ./gradebook run: grades a class; the same command continues one that was interrupted.
int run(RunOptions);

struct RegradeOptions {
  GradingWords grading;
  std::string folder;
  std::vector<std::string> students;
  bool failed = false, all = false;  ///< every file that the grader failed on; everybody
  bool dry_run = false;              ///< only says who would change, and why
  std::string csv = {};              ///< of a preview: also a file with the list
  std::string actor = "the administrator";
};
/// ./gradebook regrade: grades again what was graded, and leaves everybody else as they are.
int regrade(RegradeOptions);
/// ./gradebook regrade --preview: the same beside what counts, and who would change, by how much and why. Without
/// students, what an earlier preview has.
int preview_regrade(RegradeOptions);
/// ./gradebook regrade --apply: these students have what the preview has for them; none named: all. detail: for the
/// audit log.
int apply_regrade(const RegradeOptions &, std::string &detail);
/// ./gradebook regrade --discard: what was previewed is thrown away.
int discard_regrade(const RegradeOptions &);
/// ./gradebook regrade --undo: what counted before the latest regrading counts again.
int undo_regrade(const RegradeOptions &, std::string &detail);

/// ./gradebook rescore: points again from stored results, with the YAML files as they are now. `without_gpu`:
/// the policy that the class changes to; empty: it keeps its own.
int rescore(const std::string &folder, bool dry_run, const std::string &without_gpu);

/// ./gradebook status: how far a class is, and what a person should look at; with students, their steps.
int status(const std::string &folder, const std::vector<std::string> &students);

/// ./gradebook report: the class as pages: a dashboard with names, a leaderboard to publish, a page a
/// student.
int write_pages(const std::string &folder);

struct OverrideOptions {
  std::string folder, student, step, reason;
  std::optional<double> points;
  bool withdraw = false;
};
/// ./gradebook override: points that a person gives, or withdraws.
int override_points(const OverrideOptions &);

/// What a service says about students of a class besides what the class has stored.
struct FromService {
  std::map<std::string, std::vector<std::string>> notes;  ///< by student: answers to their disputes
  std::set<std::string> undecided;  ///< whose points the staff changed, which the service has yet to apply
  std::string unread = {};          ///< why its store cannot be read, with the file; the rest is empty then
};

struct ExportOptions {
  std::string folder, format, file, out;
  const platforms::Platform *platform = nullptr;  ///< that `format` names
  platforms::FillOptions fill;
  bool partial = false;  ///< also grades of which points are not decided
  FromService service = {};
};
/// ./gradebook export: the grades of a class in the formats of other systems. Changes nothing in the class.
int export_grades(ExportOptions);

struct PushOptions {
  std::string folder = {}, site = {};      ///< of the class; the YAML file about the platform, or empty
  std::vector<std::string> students = {};  ///< none: all
  bool dry_run = false, again = false;
  bool partial = false;         ///< also scores of which points are not decided
  std::string public_key = {};  ///< a key: print its public half, and send nothing
  FromService service = {};
};
/// ./gradebook push: sends the grades to a platform, over LTI 1.3. Changes nothing in the class but the
/// record of what was sent.
int push(const PushOptions &);

/// ./gradebook similar: the code of a class, laid out in the new folder `out` for JPlag and Dolos.
int lay_out_for_comparison(const std::string &folder, const std::string &out);

}  // namespace warpgrade::gradebook
