// The YAML of a course: an assignment's steps, files, points, rules, cases, limits and thresholds. Takes the
// folder assignments/<name>/; returns an Assignment in which everything is present and consistent; throws
// ConfigError ("file:line: what is wrong, what would be accepted"). Only this folder knows YAML.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/hunt.hpp"
#include "course/late.hpp"
#include "course/metric.hpp"
#include "course/question.hpp"
#include "course/toolchain.hpp"
#include "course/viva.hpp"
#include "course/without_gpu.hpp"
#include "problem/problem.hpp"

namespace warpgrade::course {

/// A mistake in a file that people edit. what() starts with "file:line: ".
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Visibility : std::uint8_t { open, hidden };

struct Case {
  std::string name;  ///< from its sizes and factors: "m=n=k=129"
  problem::Case values;
  Visibility visibility = Visibility::open;
  bool gpu_only = false;  ///< too slow to simulate while a student waits
  /// Runs on the simulator once the step is accepted. A failure is a warning, and changes neither verdict nor
  /// points.
  bool advisory = false;
  bool operator==(const Case &) const = default;
};

enum class Permission : std::uint8_t { free, required, forbidden };

/// What a step's code must and must not do; checked on the compiled code and on the plan, not on the text.
struct Rules {
  Permission shared_memory = Permission::free;
  bool tensor_cores_forbidden = false;
  bool low_precision_forbidden = false;              ///< arithmetic in fp16, bf16, tf32 or fp8
  bool atomics_forbidden = false;                    ///< in any memory
  std::optional<std::uint64_t> static_shared_bytes;  ///< at most, per block
  struct OutputsPerThread {
    double at_least = 1;
    problem::Case on;
    std::vector<problem::Case> near;  ///< the rule must hold at one of these too, chosen by the seed
    bool operator==(const OutputsPerThread &) const = default;
  };
  std::optional<OutputsPerThread> outputs_per_thread;
  bool operator==(const Rules &) const = default;
};

/// A threshold on a counter. It gives all of its points or none: counters do not vary from run to run.
struct CounterCheck {
  Measure measure = Measure::sectors_per_load;
  bool at_least = false;  ///< else at most
  double limit = 0;
  double points = 0;
  bool holds(double value) const { return at_least ? value >= limit : value <= limit; }
  bool operator==(const CounterCheck &) const = default;
};

/// Points for a property that is proved for all sizes of the contract. What is not decided earns none.
struct ProofPoints {
  std::string property;  ///< one of prove::property_names
  double points = 0;
  bool operator==(const ProofPoints &) const = default;
};

struct Points {
  double correct = 0, fast = 0, counters = 0;
  double answers = 0;  ///< of a hunt: for naming line and cause
  double proof = 0;
  double total() const { return correct + fast + counters + answers + proof; }
  bool operator==(const Points &) const = default;
};

/// The topology of assignments that name none.
inline constexpr const char *default_links = "nvlink4";

struct Step {
  std::string id, title, file, entry;
  /// Headers that students may edit, compiled with the file; if one is not handed in, the starter's is used.
  std::vector<std::string> headers;
  std::string arch;  ///< the virtual architecture that it is compiled for: its own, or the assignment's
  const problem::Problem *problem = nullptr;
  problem::Formulas with;     ///< integers that the step's cases need not give
  problem::Case counters_on;  ///< the size at which counters are reported
  /// Sizes near it. The seed chooses one, at which the thresholds must be met too.
  std::vector<problem::Case> counters_near;
  bool extra_credit = false;
  /// Beyond the course: no points, no starter file, graded only on request by name. Its file is in the folder
  /// beyond/ of the submission.
  bool beyond = false;
  Points points;
  Rules rules;
  std::vector<CounterCheck> counter_checks;  ///< their points add up to points.counters
  std::vector<Case> cases;                   ///< public ones first, then hidden ones
  std::vector<Question> questions;           ///< of a file of answers, which has no kernel and no cases
  std::optional<Hunt> hunt;                  ///< of a kernel in which students look for a fault
  std::optional<Viva> viva;                  ///< of an exam, which has no file
  std::vector<ProofPoints> proof;            ///< their points add up to points.proof
  /// How its devices are connected, where it has several: a topology that comes with the simulator.
  std::string links = default_links;
  bool has_kernel() const { return questions.empty() && !viva; }
  /// Below the submission's folder.
  std::filesystem::path path() const {
    return beyond ? std::filesystem::path("beyond") / file : std::filesystem::path(file);
  }
  /// The names of all files that a student hands in for it, the step's file first.
  std::vector<std::string> files() const {
    std::vector<std::string> all = {file};
    all.insert(all.end(), headers.begin(), headers.end());
    return all;
  }
  /// The file in a submission. The folder beyond/ itself may also be the submission.
  std::filesystem::path source_in(const std::filesystem::path &submission) const {
    const bool here = beyond && !std::filesystem::exists(submission / path());
    return submission / (here ? std::filesystem::path(file) : path());
  }
  bool operator==(const Step &) const = default;
};

/// Every limit that hostile code can reach. SI units and bytes.
struct Limits {
  struct Compile {
    double wall_seconds = 0, cpu_seconds = 0;
    std::uint64_t memory_bytes = 0, file_bytes = 0, log_bytes = 0;
    bool operator==(const Compile &) const = default;
  } compile;
  struct Record {
    double wall_seconds = 0, cpu_seconds = 0;
    std::uint64_t memory_bytes = 0, output_bytes = 0;
    bool operator==(const Record &) const = default;
  } record;
  struct Plan {
    std::uint64_t plan_bytes = 0, operations = 0, launches = 0, buffers = 0, scratch_bytes = 0, threads = 0;
    bool operator==(const Plan &) const = default;
  } plan;
  struct Simulate {
    std::uint64_t warp_instructions = 0, printed_bytes = 0;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< resident, of the simulator's process
    bool operator==(const Simulate &) const = default;
  } simulate;
  double gpu_wall_seconds = 0;
  double step_wall_seconds = 60;  ///< of a whole step, without waiting for a GPU; at least half of it is
                                  ///< left for what follows compilation
  bool operator==(const Limits &) const = default;
};

/// Of one student's submission; an archive that exceeds any of them is refused as a whole.
struct ArchiveLimits {
  std::uint64_t packed_bytes = 0;    ///< as handed in
  std::uint64_t unpacked_bytes = 0;  ///< of everything in it, nested archives and their contents included
  std::uint64_t source_bytes = 0;    ///< of one step's file; a larger one is skipped, and the student is
                                     ///< informed
  double ratio = 0;                  ///< unpacked over packed, where unpacked is more than ratio_from_bytes
  std::uint64_t ratio_from_bytes = 0;
  std::uint64_t entries = 0;       ///< files and folders
  std::uint64_t depth = 0;         ///< archives in archives; 1: no archive in an archive
  std::uint64_t name_bytes = 0;    ///< of a name with its folders
  std::uint64_t memory_bytes = 0;  ///< for reading it
  double wall_seconds = 0;         ///< likewise
  bool operator==(const ArchiveLimits &) const = default;
};

/// How the names of submissions identify the student.
struct Submissions {
  std::string layout = "auto";  ///< one of layout_names()
  std::string pattern;          ///< with layout "pattern": see NamePattern
  bool operator==(const Submissions &) const = default;
};
std::vector<std::string> layout_names();

/// How long a step is timed.
struct Timing {
  int least_samples = 0, most_samples = 0;
  double interval = 0;  ///< stops once the median's 95 % confidence interval is narrower than
                        ///< this share of it
  double seconds = 0;   ///< for all samples together
  bool operator==(const Timing &) const = default;
};

/// What `gradebook calibrate` proposes, as shares of what the solutions reach.
struct Calibration {
  double pass = 0.5, full = 0.9;
  bool operator==(const Calibration &) const = default;
};

struct Assignment {
  std::string name, title;
  double points = 0, extra_credit = 0;
  std::uint64_t seed = 0;
  std::string arch;                            ///< of steps that name none
  Toolchain toolchain = Toolchain::automatic;  ///< unless the user names one
  double tolerance = 0;
  Limits limits;
  ArchiveLimits archive_limits;
  Timing timing;
  Calibration calibration;
  Submissions submissions;
  std::optional<LatePolicy> late;  ///< none: no penalty
  std::vector<Step> steps;
  std::vector<Step> exams;  ///< nothing is handed in for them, and nothing of them is built or run
  /// Id of a GPU for which times are predicted where there is none; empty: the first with thresholds.
  std::string predict_for;
  WithoutGpu without_gpu = WithoutGpu::leave;  ///< with `predicted`, predict_for is set
  std::string driver;    ///< the command of ./grade that runs a kernel with any geometry; empty: none
  std::string variants;  ///< the file beside assignment.yaml that has them; empty: none
  bool has_hidden_cases = false;
  /// The step or exam of that id, or null.
  const Step *find_step(std::string_view id) const;
  /// Its problem; throws std::out_of_range if there is no such step.
  const problem::Problem &problem_of(std::string_view step) const;
  bool operator==(const Assignment &) const = default;
};

/// A performance threshold: a rate in the unit of the step's problem, such as GFLOPS, or a share of a library
/// in the same run.
struct Threshold {
  double value = 0;
  bool of_library = false;
  bool operator==(const Threshold &) const = default;
};

struct StepThresholds {
  std::string step;
  problem::Case size;
  Threshold pass, full;
  /// Of predicted thresholds: the rates between which the solution's was predicted.
  std::optional<std::pair<double, double>> predicted = {};
  bool operator==(const StepThresholds &) const = default;
};

/// thresholds/<gpu>.yaml
struct Thresholds {
  std::string file;    ///< its name without folder: "nvidia-h200.yaml"
  std::string match;   ///< of the GPU's name; * stands for any characters, ? for one
  std::string gpu;     ///< its name for people: "NVIDIA H200"; empty for any GPU
  std::string gpu_id;  ///< its file in assignments/gpus, without ending; empty where there is none
  std::optional<double> peak_gflops, memory_gb_per_s;
  /// What the numbers come from: somebody chose them, runs on the GPU, or the model of docs/prediction.md.
  enum class Source : std::uint8_t { chosen, measured, predicted };
  Source source = Source::chosen;
  std::string model;  ///< of predicted thresholds: the version of the model
  std::vector<StepThresholds> steps;
  const StepThresholds *find(const std::string &step) const;
  bool predicted() const { return source == Source::predicted; }
  /// The most that the GPU can reach in a unit of rates: peak_gflops, or memory_gb_per_s.
  std::optional<double> peak(std::string_view unit) const;
  /// A rate above this cannot be real. Without thresholds for this GPU, it is somewhat above the peak: some
  /// cards run faster than the data sheet says.
  std::optional<double> highest_rate(std::string_view unit) const;
  bool operator==(const Thresholds &) const = default;
};

/// Reads assignment.yaml and, if it exists, hidden.yaml of `folder`.
Assignment read_assignment(const std::filesystem::path &folder);

/// The thresholds for the GPU of that name: the matching file, else default.yaml. For no_gpu where predicted
/// rates earn points: those of the GPU that predict_for names. Reads and checks every file of thresholds/, so
/// that a mistake in one is found on any machine.
Thresholds read_thresholds(const std::filesystem::path &folder, const Assignment &,
                           const std::string &gpu_name);

/// The same of those that read_all_thresholds() gave.
Thresholds choose_thresholds(const std::vector<Thresholds> &all, const std::filesystem::path &folder,
                             const Assignment &, const std::string &gpu_name);

/// Checks every file of thresholds/ and returns them all, default.yaml last. Two files that match the same
/// GPU are an error; default.yaml is used only if no other matches.
std::vector<Thresholds> read_all_thresholds(const std::filesystem::path &folder, const Assignment &);

}  // namespace warpgrade::course
