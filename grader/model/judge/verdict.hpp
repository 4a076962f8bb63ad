// What a run means. Takes facts (how a run ended, how its output compares); returns verdicts with their
// reasons. Pure functions: the same facts give the same verdict, and a verdict can be recomputed from stored
// facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "problem/problem.hpp"
#include "problem/terms.hpp"
#include "run/run.hpp"

namespace warpgrade::judge {

/// In ascending rank: if several apply, the one with the highest rank explains most.
enum class Verdict : std::uint8_t {
  accepted,
  grader_error,  ///< our fault; it says nothing against the student, so anything that was shown outranks it
  wrong_answer,
  input_changed,
  time_limit,
  device_error,
  rule_violation,
  uninitialized_read,
  race,
  barrier_error,
  out_of_bounds,
  launch_error,
  bad_plan,
  crashed,
  not_implemented,
  build_error,
  missing,
};

std::string_view name_of(Verdict);
std::optional<Verdict> verdict_of(std::string_view name);
/// As people read it: its name, or "launcher_refused" for a plan that cannot be run.
std::string_view in_words(Verdict);

/// What a finding may follow from: the code and place of another one.
struct Origin {
  std::string code, file;
  int line = 0;  ///< 0: no line
  bool operator==(const Origin &) const = default;
};

/// A finding, with its place in the student's source if there is one.
struct Finding {
  std::string code;      ///< "out_of_bounds", "rule_violation", ...
  std::string severity;  ///< "error", "warning", "info"
  std::string file;
  int line = 0;         ///< 0: no line
  std::string message;  ///< whole sentences, with kernel, thread and block
  std::uint64_t count = 1;
  std::optional<Origin> follows = std::nullopt;  ///< an earlier finding, of which this may be a consequence
  bool operator==(const Finding &) const = default;
};

/// The smallest case that fails as another one does.
struct SmallestCase {
  std::string name;  ///< as --case takes it
  problem::Case values;
  std::string reason;
  std::vector<std::string> alone =
      {};  ///< elements of its inputs; not empty: it fails too if all others are 0
  bool operator==(const SmallestCase &) const = default;
};

/// The outcome of one case, everywhere it ran.
struct CaseVerdict {
  std::string name;
  problem::Case values;
  course::Visibility visibility = course::Visibility::open;
  Verdict verdict = Verdict::grader_error;  ///< until something better is shown
  std::vector<Verdict> also;                ///< other verdicts that apply, by rank
  std::string where;                        ///< "sim", "gpu", "sim and gpu"
  std::string reason;                       ///< one sentence unless accepted
  std::uint64_t seed = 0;
  std::optional<problem::Comparison> comparison;
  std::vector<Finding> findings;
  std::string printed;          ///< what the kernel printed, truncated
  bool waits_for_gpu = false;   ///< not run: needs a GPU
  bool skipped = false;         ///< not run: the cases before it were conclusive
  bool left_to_course = false;  ///< an answer that only the course can judge
  bool advisory = false;        ///< see course::Case
  /// Of the case that a step's report shows, if it failed and is open: what its first wrong element is made of,
  /// and a smaller case that fails alike.
  std::optional<problem::Terms> terms = std::nullopt;
  std::optional<SmallestCase> smallest = std::nullopt;
  /// Of a race whose result is right by chance: which change of order makes it wrong.
  std::optional<std::string> order = std::nullopt;
  bool ran() const { return !waits_for_gpu && !skipped && !left_to_course; }
  bool operator==(const CaseVerdict &) const = default;
};

/// Hidden cases as a student may know them.
struct HiddenCount {
  std::size_t all = 0;  ///< without those that wait for a GPU
  std::size_t ran = 0, passed = 0;
  std::size_t not_judged = 0;  ///< of `ran`: because of a failure of ours
};
HiddenCount count_hidden(const std::vector<CaseVerdict> &);

/// What one run says about one case.
struct RunVerdict {
  Verdict verdict = Verdict::grader_error;
  std::vector<Verdict> also;
  std::string reason;
  std::vector<Finding> findings;
};
/// comparison   set when the run completed
/// gpu_decides  the case runs on a GPU too. Then what the simulator cannot run is not a verdict against the
///              student; otherwise it is a device_error, because a submission chooses what it is made of.
/// inputs       the names of buffers that a kernel may only read; a race for one of them is not a race but a
///              change of it.
/// has_output   false if the case has no element to compute; otherwise comparing none is our failure
RunVerdict judge_run(const run::Run &, const std::optional<problem::Comparison> &comparison,
                     bool gpu_decides = false, const std::vector<std::string> &inputs = {},
                     bool has_output = true);

/// "12 of 16641 elements of C are wrong: column 128, the last"; names elements that are not finite and
/// elements that were never written.
/// How much a case that failed tells: most if its cause is known, little if it has one element. Cases that tell
/// as much are told apart by their size.
int telling(const CaseVerdict &, const problem::Problem &);

std::string describe(const problem::Comparison &);

/// The finding as a person reads it, from a simulator's diagnostic.
Finding finding(const simt::Diagnostic &);

/// Merges the verdict of another run of the same case into it: the higher rank leads.
void join(CaseVerdict &, const RunVerdict &, std::string_view where);

}  // namespace warpgrade::judge
