// One build on cases of its step, on the simulator: how each ends, without rules, points and words for a student. For
// programs that run many variants of a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grading/grading.hpp"
#include "judge/verdict.hpp"

namespace warpgrade::mutants {

struct Ran {
  judge::Verdict verdict = judge::Verdict::grader_error;
  std::vector<judge::Verdict> also;  ///< other verdicts that apply
  std::string reason;
  std::vector<judge::Finding> findings;
  std::optional<problem::Comparison> comparison;  ///< of a run that completed
  plan::LaunchPlan plan;
  run::Run run;
  bool accepted() const { return verdict == judge::Verdict::accepted; }
};

/// What launchers did in calls, for runners of builds that have one worker: a launcher that is the same program, asked
/// the same, does the same. For several threads at once.
class Recordings {
 public:
  std::shared_ptr<const record::Recording> find(const std::string &call) const;
  void keep(const std::string &call, std::shared_ptr<const record::Recording>);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const record::Recording>> all_;
};

/// Use it on the thread that made it. `data` and `shared` may be shared between threads.
class CaseRunner {
 public:
  CaseRunner(const course::Assignment &, const grading::Environment &, const grading::Options &,
             const course::Step &, const build::Build &, grading::CaseData &data,
             Recordings *shared = nullptr);

  struct How {
    bool count = false;                                   ///< fill in run.counters
    std::optional<std::uint64_t> warp_instructions = {};  ///< at most; none: as the assignment says
  };
  Ran run(const problem::Case &, const How &);
  Ran run(const problem::Case &c) { return run(c, How{}); }
  std::shared_ptr<const record::Recording> record(const problem::Case &);

 private:
  const course::Assignment &assignment_;
  const grading::Environment &environment_;
  const grading::Options &options_;
  const course::Step &step_;
  const build::Build build_;  ///< keeps the worker
  grading::CaseData &data_;
  Recordings *shared_;
  std::optional<record::Recorder> recorder_;  ///< once it is needed
  run::Simulator simulator_;
};

/// The device code of a build as text, without places in the source: equal texts do the same.
std::string code_of(const build::Build &);

}  // namespace warpgrade::mutants
