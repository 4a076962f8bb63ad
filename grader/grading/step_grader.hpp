// One step from its build to its record.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/wire.hpp"
#include "gpu/device_lock.hpp"
#include "grading/grading.hpp"
#include "grading/guards.hpp"
#include "judge/rules.hpp"
#include "record/recorder.hpp"
#include "search/candidates.hpp"
#include "simulate/simulator.hpp"

namespace warpgrade::grading {

judge::Verdict verdict_of(record::Recording::Outcome);

/// The buffers that a kernel may only read.
std::vector<std::string> inputs_of(const std::vector<run::HostBuffer> &);

/// Of warps: many times what a slow kernel needs in a case, so that a loop without an end ends soon.
std::uint64_t enough_instructions(const problem::Problem &, const problem::Case &);

/// Counts a finding that is there already instead of listing it again.
void add_once(std::vector<judge::Finding> &all, const judge::Finding &);

/// A call counted on the simulator.
struct Counting {
  std::optional<CounterRecord> counters;
  std::string why_not;
  run::Run run;            ///< its buffers are those of the call; counters and samples are moved out of it
  judge::Workers workers;  ///< of a call that ended well
};

class StepGrader {
 public:
  StepGrader(const course::Assignment &, const Environment &, const Options &, CaseData &, Timekeeping *,
             const course::Step &, const build::Build &, const std::string &source);
  /// See Grader::grade.
  StepRecord grade(const std::function<void()> &before_timing);
  bool begin();  ///< what comes before the first case; false when there is nothing to run

 private:
  bool built();  ///< fills in the build's record; false when there is nothing to run
  void begin_large_cases();
  void run_cases();
  judge::CaseVerdict run_case(const course::Case &);
  void check_plan(judge::CaseVerdict &, const record::Recording &);
  bool only_stubs(const plan::LaunchPlan &) const;
  void note_rules(const plan::LaunchPlan &);
  void hold_to_rules(judge::CaseVerdict &, const plan::LaunchPlan &) const;
  void hold_hidden_cases();
  double seconds() const;                                        ///< that the step took so far
  void refuse(judge::CaseVerdict &, const record::Recording &);  ///< there is no plan to run
  void simulate(judge::CaseVerdict &, const record::Recording &, const CaseData::Data &,
                std::uint64_t times_instructions = 1);
  void replay_on_gpu(judge::CaseVerdict &, const plan::LaunchPlan &, const CaseData::Data &);
  problem::Comparison compare(const problem::Case &, const CaseData::Data &,
                              const std::vector<run::HostBuffer> &outputs) const;
  const judge::CaseVerdict *case_to_repeat() const;
  void find_mistakes(const judge::CaseVerdict &, const std::vector<run::HostBuffer> &inputs,
                     const run::Run &);
  void name_causes();
  void note_influence();
  void try_other_calls();
  bool is_right(const plan::LaunchPlan &, const judge::CaseVerdict &);
  void run_in_turn();
  void explain_gpu_failure();
  void check_rules();
  void check_use_of_shared_memory();
  void count();
  std::optional<Counting> count_and_compare(const problem::Case &, const run::CodeChanges &);
  run::CodeChanges without_idle_accesses(const CounterRecord &);
  void warn_of_idle_accesses(const simt::Counters &all, const simt::Counters &left);
  void check_counted_rules(const Counting &);
  void check_threads(const problem::Case &, const std::set<std::string> &idle, bool compared);
  void run_advisory();
  void advise(judge::CaseVerdict &);
  void look_at_the_far_end(judge::CaseVerdict &, const plan::LaunchPlan &);
  std::string confused_sizes(const judge::CaseVerdict &);
  void measure(const std::function<void()> &before_timing);
  void conclude();
  void explain_failure();
  judge::CaseVerdict *shown_case();
  void find_smallest(judge::CaseVerdict &);
  void reduce_inputs(judge::CaseVerdict &);
  std::optional<judge::CaseVerdict> tried(const problem::Case &, std::uint64_t seed,
                                          const std::string &cause);
  void show_order(judge::CaseVerdict &);
  std::optional<std::string> order_that_fails(const problem::Case &, std::uint64_t seed);
  /// A run of a case that no report shows.
  struct TriedCase {
    std::optional<judge::CaseVerdict> verdict;     ///< none if there is no plan that runs
    std::vector<run::HostBuffer> inputs, outputs;  ///< outputs: of a run that ended well
    std::vector<simt::BranchCount> branches;       ///< likewise
    std::shared_ptr<const record::Recording> recording;
    std::uint64_t warp_instructions = 0;
    bool by_clock = false;  ///< or by another trouble of this machine: another attempt may end otherwise
  };
  TriedCase try_case(const problem::Case &, std::uint64_t seed, std::uint64_t warp_instructions,
                     bool branches);
  std::optional<problem::Terms> terms(const problem::Case &, std::uint64_t seed);
  bool others_wait() const;
  void search_briefly();
  std::optional<problem::Case> search_or_recall();
  void ask_of_search(Writer &) const;
  void prove_if_wanted();
  void prove_briefly();
  friend class Searcher;
  friend class PlanSamples;
  friend class Prover;

  std::shared_ptr<const record::Recording> record(const problem::Case &);
  std::shared_ptr<const record::Recording> recorded_ahead(const problem::Case &);
  void remember(const problem::Case &, std::shared_ptr<const record::Recording>);
  void record_ahead();
  void stop_recording_ahead();
  void look_ahead();
  void compute_ahead();
  std::vector<problem::Case> counted_cases(bool recorded) const;
  std::shared_ptr<const CaseData::Data> data_for(const problem::Case &, std::uint64_t seed);
  void hold(judge::Verdict, std::string reason);

  const course::Assignment &assignment_;
  const Environment &environment_;
  const Options &options_;
  CaseData &data_;
  Timekeeping *timekeeping_;  ///< null without a GPU
  const course::Step &step_;
  const build::Build &build_;
  const course::Case *only_;   ///< null: all of them
  double most_seconds_;        ///< of recordings and runs
  const std::string &source_;  ///< the student's file
  Guards guards_;
  run::Simulator simulator_;  ///< decodes a kernel once for all cases

  StepRecord record_;
  std::unique_ptr<record::Recorder> recorder_;
  std::vector<std::pair<problem::Case, std::shared_ptr<const record::Recording>>> recorded_;  // small ones
  /// Cases whose turn comes, in that order: recorded one ahead, while another one is simulated.
  std::deque<problem::Case> coming_;
  problem::Case ahead_case_;
  std::future<std::shared_ptr<const record::Recording>> ahead_;
  std::vector<std::shared_ptr<CaseData::Ahead>> data_ahead_;
  std::unique_ptr<gpu::Replay> gpu_;
  void set_up_gpu();
  bool runs_on_gpu(const problem::Case &) const;
  std::vector<std::pair<judge::Verdict, std::string>> held_;  // verdicts on the step as a whole
  std::vector<judge::Finding> rule_findings_;
  std::set<std::string> launched_;                            // kernels, over all plans of open cases
  std::map<std::string, std::vector<std::string>> mistakes_;  // by case: which give exactly its wrong result
  /// Whether too_few_threads() tells right from wrong in this step: it does unless an accepted case has too
  /// few, as where results may stay what they were. Not known before a case is accepted.
  std::optional<bool> threads_bound_results_;
  bool any_operation_ = false;
  bool any_effect_ = false;                                  // more than a launch of stubs
  double launcher_seconds_ = 0, launcher_wall_seconds_ = 0;  // of the recorded calls so far
  double spent_seconds_ = 0;                                 // by the wall clock: recording
  double trial_seconds_ = 0;                                 // of launchers, while a smaller case is sought
  bool trials_by_clock_ = false;  // a faster machine might have found a smaller one
  search::Coverage coverage_;     // by the cases of the step
  gpu::Company company_;          // runs on the GPU
};

/// A step that is a file of answers.
StepRecord grade_answers(const course::Assignment &, const course::Step &,
                         const std::filesystem::path &submission);

/// The line of the launcher that asked for an operation of the plan; 0: not known. May be empty.
using LineOfOperation = std::function<int(std::size_t operation)>;
Counting count_call(const course::Assignment &, const course::Step &, const Options &,
                    const plan::LaunchPlan &, run::Simulator &, const problem::Case &,
                    const LineOfOperation & = {}, const run::CodeChanges & = {});
/// What the operations of such a call move over the links of the step's topology; none if it has one device.
std::optional<run::LinkCounts> link_counts(const course::Step &, const plan::LaunchPlan &,
                                           const std::vector<run::Moved> &, const LineOfOperation &);
/// What was counted near the size of the reports, as thresholds are held against it: over the work of whole
/// warps, and without what only a reader needs.
CounterRecord as_near(const course::Step &, CounterRecord);
run::SimulateOptions simulate_options(const course::Assignment &, const Options &);
/// The requests of one block of a call. Throws std::runtime_error with the reason when it does not end well.
std::vector<simt::TracedRequest> trace_call(const course::Assignment &, const course::Step &, const Options &,
                                            const plan::LaunchPlan &, run::Simulator &, const problem::Case &,
                                            std::uint64_t block);

gpu::ReplayLimits replay_limits(const course::Assignment &);
/// Of all that is run of a step: its cases, the one that is asked for, the timed size.
int most_devices_of(const course::Step &, const Environment &, const Options &);

/// Times an accepted step on the GPU; every sample is verified. Gives the reason where one was wrong. With
/// `thresholds` a result too near to one is measured for longer.
struct Timing {
  std::optional<PerformanceRecord> performance;
  std::string why_not;
  judge::Verdict verdict = judge::Verdict::accepted;  ///< of the timed samples
};
Timing time_step(const course::Assignment &, const course::Step &, const Environment &,
                 const problem::Case &size, const plan::LaunchPlan &, gpu::Replay &, Timekeeping &,
                 const course::StepThresholds *thresholds, const Options &options = {});

}  // namespace warpgrade::grading
