// Grading what is pending in a class: workers that grade, one writer, reports as they come.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "batch/conditions.hpp"
#include "batch/scoring.hpp"
#include "batch/store.hpp"
#include "batch/workers.hpp"
#include "setup/course_root.hpp"
#include "setup/interruption.hpp"

namespace warpgrade::gradebook {

/// Options of every command that grades a class.
struct GradingWords {
  std::string assignment, device = "auto", toolchain = "auto", gpus;
  std::string executor = "local", slurm;  ///< "local" or "slurm"; the site's file
  int jobs = 0;                           ///< 0: one a core
  bool no_sandbox = false;
  std::optional<std::uint64_t> seed;
  std::string without_gpu = {};  ///< confirms that the class changes to this policy; empty: it must not
};

/// A class's assignment, as it is now.
struct ClassCourse {
  std::filesystem::path root, folder;  ///< of the course; of the assignment's YAML
  course::Assignment assignment;
  course::WithoutGpu without_gpu_now = course::WithoutGpu::leave;  ///< as assignment.yaml says
};
/// Throws UsageError or course::ConfigError.
ClassCourse open_class_course(const std::string &assignment);
/// The course of a class that has begun; counts as the class does.
ClassCourse course_of(const batch::Store &);

/// What grades a class: this machine, or nodes of a cluster.
struct ClassGrader {
  ClassCourse course;
  GradingWords words;
  std::uint64_t seed = 0;
  grading::DeviceRecord device;
  std::string front_end, sandbox;
  course::Thresholds thresholds;     ///< of the device
  std::unique_ptr<Machine> machine;  ///< none when others grade
  /// That measure: workers are bound to them in turn; none: the simulator.
  std::vector<gpu::DeviceInfo> gpus;
  batch::ClassSetup setup() const;
};
/// Looks at this machine or, for the cluster, at a node. Nothing when interrupted. Throws UsageError when it
/// cannot grade, or is not what the class was begun on.
std::optional<ClassGrader> prepare(const batch::Store &, ClassCourse, const GradingWords &,
                                   const Interruption &);

/// What this machine grades with. Throws UsageError where it cannot.
ClassGrader look_here(ClassCourse, const GradingWords &, std::uint64_t seed);
/// Throws UsageError when there is none and nobody said that there need not be.
void demand_sandbox(const sandbox::Sandbox &, bool no_sandbox);

/// Processes that grade on this machine. They run cases on a GPU beside each other, and measure one at a
/// time.
batch::WorkerOptions worker_options(const ClassGrader &, std::size_t tasks, int cores);

/// Lets the store know what grades everything from now on, and says what is graded again because of that.
void announce(batch::Store &, const ClassGrader &);
/// The same for variants of files that were handed in since. readable_alone: those that cannot be read are left out;
/// else throws variants::UnreadableVariant.
void announce_variants(batch::Store &, const ClassGrader &, bool readable_alone = false);

/// Grades what is pending and writes scores and reports. False when it was interrupted.
bool grade_pending(batch::Store &, const ClassGrader &, const Interruption &);

/// A file to be graded again, and for whom: others with the same file keep their results.
struct WantedAgain {
  batch::Task task;
  std::vector<std::string> whom;
};
/// Grades these files under the present conditions, whether they were graded or not, and writes scores and
/// reports of the students for whom that is. Nobody else's results and points change. False when it was
/// interrupted.
bool grade_again(batch::Store &, const ClassGrader &, const std::vector<WantedAgain> &, const Interruption &);

/// The record in a worker's answer: a failure of ours if it did not answer, or not with a record.
grading::StepRecord record_in(const course::Step &, bool answered, const std::string &text);

/// Runs what a preview still lacks (gradebook/preview.hpp). Nothing that counts changes. False when it was
/// interrupted.
bool grade_preview(batch::Store &, const ClassGrader &, const Interruption &);

/// One student, step by step, on standard output.
void print_student(const batch::Store &, const batch::RulesOf &, const std::string &id);

/// Of which step and whose file the grader failed, and why: for a terminal.
std::string failure_of(const batch::Store &, const batch::Task &);

/// Says how the class stands, on standard output; gives the exit status.
int conclude_class(const batch::Store &, const ClassCourse &);

}  // namespace warpgrade::gradebook
