// Grades steps of a submission: builds, records, runs on the simulator and the GPU, judges, measures.
// Takes an assignment, a folder with a student's files and what this machine offers; gives a StepRecord a
// step. Throws only for failures of ours that no step can be blamed for.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "build/build.hpp"
#include "course/assignment.hpp"
#include "gpu/gpu.hpp"
#include "gpu/referee.hpp"
#include "plan/plan.hpp"
#include "record/recorder.hpp"
#include "sandbox/sandbox.hpp"
#include "score/step_record.hpp"
#include "simulate/simulator.hpp"

namespace warpgrade::grading {

/// What the machine offers.
struct Environment {
  std::filesystem::path starter;        ///< the pristine files that a submission's are laid over
  std::filesystem::path record_server;  ///< the program that starts workers
  std::filesystem::path simulator;      ///< the program that interprets device code
  const sandbox::Sandbox *sandbox = nullptr;
  const build::FrontEnd *front_end = nullptr;
  std::optional<gpu::DeviceInfo> gpu;
  std::vector<gpu::DeviceInfo> more_gpus = {};  ///< that plans for several devices use beside it
  std::string why_no_gpu;                       ///< set exactly when there is none
  std::string why_not_this_gpu;  ///< of a step that the GPU that is here cannot run: see for_step()
  const course::Thresholds *thresholds = nullptr;  ///< of that GPU: which sizes are timed
  gpu::ChildOptions gpu_children;
  std::string lock_directory;  ///< one measurement a GPU at a time; empty: no lock
  double gpu_wait_seconds =
      600;  ///< while others measure on the GPU; then runs that are not timed go on all the same
};

struct Options {
  std::uint64_t seed = 0;
  /// Of cases whose reference takes long, so that files with seeds of their own share those; none: as the
  /// others. Right results there are worth nothing without those at small sizes.
  std::optional<std::uint64_t> seed_of_large = {};
  std::map<std::string, course::Case> only;  ///< by step: grade this one case and measure nothing
  /// With `only`: inputs are 0 but for these elements, which are 1; see grading/alone.hpp. Empty: as always.
  std::vector<std::string> alone = {};
  std::string element = {};  ///< with `only`: the result that is explained, if it is wrong
  bool measure = true;       ///< time accepted steps where there is a GPU
  bool search = true;        ///< look for a case at which an accepted step fails, as a further advisory one
  double energy_seconds =
      0;  ///< above 0: also count the energy of what is timed, in a loop of so many seconds
  bool energy_of_library = false;  ///< and that of the library
  /// Fill in StepRecord::properties of accepted steps, within half a second each. Where a step has points for them,
  /// that is done in any case, and takes as long as it takes.
  bool prove = false;
  int threads = 1;                                         ///< of the simulator
  bool threads_at_once = false;                            ///< for tests: short launches use them too
  std::function<void(const std::string &)> progress = {};  ///< is told what is done now: "case 3 of 23"
  /// Where what a search found is kept, and what stands for the assignment there: a hash of the files that it was read
  /// from. Empty: nowhere.
  struct Kept {
    std::filesystem::path folder;
    std::string contract;
  } kept = {};
  /// Called when all cases of a step are right and it keeps its rules, before anything is measured.
  std::function<void()> is_right = {};
  /// Called when nothing of a step is measured any more: what would have disturbed that may begin.
  std::function<void()> is_measured = {};
  /// Asked of an accepted step: whether others wait. Then what can change neither its verdict nor its points is left
  /// out: the search for a case that fails, and advisory cases. Empty: nobody waits.
  std::function<bool()> others_wait = {};
};

/// A call of which the simulator ran a few blocks of each launch.
struct SampledCall {
  std::vector<run::SampledLaunch> launches;
  std::vector<simt::LaneSample> samples;
  std::map<std::string, std::uint64_t> buffer_bytes;  ///< by name
  std::vector<std::uint64_t> moves = {};              ///< bytes of each memset and copy besides the launches
};

/// Of all the blocks that are run. The simulator takes longest for the tensor cores.
struct SampleCost {
  std::uint64_t warp_instructions = 0;
  double tensor_flops = 0;
};

/// Why there is none. what() is the reason.
class NotSampled : public std::runtime_error {
 public:
  NotSampled(run::End how, const std::string &why, bool clock = false)
      : std::runtime_error(why), end(how), by_clock(clock) {}
  run::End end;
  bool by_clock;  ///< of run::Run
};

/// Inputs and references that several steps share, made once.
class CaseData {
 public:
  struct Data {
    std::vector<run::HostBuffer> inputs;
    std::optional<problem::Reference>
        reference;  ///< none for cases too big to compute: these are spot-checked
  };
  std::shared_ptr<const Data> get(const problem::Problem &, const problem::Case &, std::uint64_t seed);
  /// Computes it on a thread of its own, for the next get().
  void begin(const problem::Problem &, const problem::Case &, std::uint64_t seed);
  /// The same of several cases, one after the other on one thread. Ends once what is returned is gone, after the case that
  /// it is at.
  struct Ahead;
  std::shared_ptr<Ahead> begin_in_turn(const problem::Problem &,
                                       std::vector<std::pair<problem::Case, std::uint64_t>> cases_and_seeds);
  void forget_all_but(std::optional<std::uint64_t> seed);

 private:
  using Key = std::pair<std::uint64_t, std::string>;  // the seed, then problem and sizes
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Data>> kept_;  // small ones only
  std::map<Key, std::future<std::shared_ptr<const Data>>> begun_;
};

/// What the machine offers to a step: no GPU if the one that is here cannot run what the step is compiled
/// for.
Environment for_step(Environment, const course::Step &);
/// How many devices its cases are for; 1 for most steps.
int devices_of(const course::Step &);
/// The GPUs for plans of up to so many devices: as many as there are.
std::vector<gpu::DeviceInfo> gpus_for(const Environment &, int devices);

/// Of the inputs of a case.
std::uint64_t seed_of(const Options &, const problem::Problem &, const problem::Case &);

record::Limits record_limits(const course::Limits &);
run::SimulatorLimits simulator_limits(const course::Limits &);
build::Limits build_limits(const course::Limits &);
/// What a worker is told about one call.
plan::CallRequest call_request(const course::Step &, const Environment &, const problem::Case &);

/// Whether a call certainly takes more instructions than the simulator may spend on it.
bool too_large_to_count(const course::Assignment &, const course::Step &, const problem::Case &);

/// What all measurements of a process share, one at a time.
struct Timekeeping {
  std::mutex mutex;
  gpu::Referee referee;
  /// For the step that comes next: its process sets up its GPU while the step is built.
  std::unique_ptr<gpu::Replay> ahead = {};
};

/// Adds what the student's file declares in shared memory, which advice has to respect.
void note_shared_arrays(CounterRecord &, const course::Step &, const build::Build &, std::string_view source);

struct Debugging;  // grading/debugging.hpp
struct DebugWish;
struct SearchResult;  // grading/searching.hpp
struct SearchOptions;
struct Proof;  // grading/proving.hpp
struct ProveOptions;

class Grader {
 public:
  Grader(const course::Assignment &assignment, Environment environment, Options options);

  /// From now on; not while a step is graded. What was made of other seeds is forgotten.
  void use_seed(std::uint64_t seed);

  /// The slow first half, independent of the others: steps may be built on several threads at once.
  /// same_host   see build::Request
  build::Build build(const course::Step &, const std::filesystem::path &submission,
                     const build::Build *same_host = nullptr) const;
  /// The rest. Of a file of answers, which is in `submission` and is not built, all of it.
  /// before_timing    called before the GPU is timed, which other work on this machine would disturb
  StepRecord grade(const course::Step &, const build::Build &, const std::filesystem::path &submission,
                   const std::function<void()> &before_timing = {});

  /// Computes the references of a step's cases until what is returned is gone: they do not depend on the file, which may
  /// still be compiling.
  std::shared_ptr<CaseData::Ahead> expect(const course::Step &);
  /// Has a process set up the GPUs for this step, which is graded next. Not for two threads at once.
  void set_up_gpu_for(const course::Step &);

  DeviceRecord device() const;
  /// What the simulator counts in one call, with samples. Throws std::runtime_error with the reason when the
  /// call has no plan or does not end well.
  CounterRecord count(const course::Step &, const build::Build &, const problem::Case &) const;
  /// Runs a few blocks of each launch of a call, on small inputs that repeat, so that no size takes long.
  /// most    what it may cost; none: as much as a case
  /// Throws as count() does, and NotSampled if the simulated call does not end well.
  SampledCall sample(const course::Step &, const build::Build &, const problem::Case &,
                     const std::optional<SampleCost> &most = {}) const;
  /// The build with its registers, spills and machine code on another GPU: see build::FrontEnd.
  build::Build with_machine_code(const build::Build &, const std::string &sm) const;
  /// Every request to memory of one block of that call, in order. Throws as count() does.
  std::vector<simt::TracedRequest> trace(const course::Step &, const build::Build &, const problem::Case &,
                                         std::uint64_t block) const;
  /// A case once more, with a recording of the warps that matter. Throws std::runtime_error with the reason
  /// when the call has no plan.
  Debugging debug(const course::Step &, const build::Build &, const problem::Case &, const DebugWish &) const;
  /// A case once more on the simulator, as grade() judges it: with what its first wrong element is made of, and a
  /// smaller case that fails alike; or with what that element is made of. source: the student's file
  judge::CaseVerdict explain(const course::Step &, const build::Build &, const problem::Case &,
                             const std::string &source, const std::string &element = "") const;
  /// Runs cases that the code suggests, until one fails, all branches were taken both ways and nothing is left to
  /// try, or the time is up. source: the student's file. Throws std::runtime_error with the reason when the step
  /// does not build.
  SearchResult search(const course::Step &, const build::Build &, const std::string &source,
                      const SearchOptions &) const;
  /// What holds for all sizes of the step's contract. Throws as search() does.
  Proof prove(const course::Step &, const build::Build &, const std::string &source,
              const ProveOptions &) const;
  /// One step at one size: timed where there is a GPU, every sample verified, else counted.
  BenchPoint bench(const course::Step &, const build::Build &, const problem::Case &size) const;
  /// What the launcher is told when it is recorded at that size.
  plan::CallRequest call(const course::Step &, const problem::Case &) const;
  /// The plan of one call, for people. Throws std::runtime_error when there is none.
  plan::LaunchPlan plan(const course::Step &, const build::Build &, const problem::Case &) const;

 private:
  struct Recorded {
    std::unique_ptr<record::Recorder> by;  ///< knows the lines of the launcher
    record::Recording recording;
  };
  Recorded record(const course::Step &, const build::Build &, const problem::Case &) const;

  const course::Assignment &assignment_;
  Environment environment_;
  Options options_;
  CaseData data_;
  std::unique_ptr<Timekeeping> timekeeping_;  ///< where there is a GPU
};

/// A step without a file.
StepRecord missing_step(const course::Step &, std::string reason);
/// A step that could not be graded through no fault of the submission.
StepRecord our_failure(const course::Step &, std::string reason);

}  // namespace warpgrade::grading
