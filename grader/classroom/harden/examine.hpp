// What becomes of each mutant of a step. Internal to harden/.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/scratch.hpp"
#include "grading/grading.hpp"
#include "harden/results.hpp"
#include "mutants/case_runner.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::harden {

using Clock = std::chrono::steady_clock;

/// A step's solution, and how mutants of it fare. Of a solution that is not accepted, the constructor throws
/// std::runtime_error.
class Examination {
 public:
  Examination(const course::Assignment &, const Machine &, const grading::Options &, const course::Step &,
              const std::filesystem::path &solutions);

  const std::string &source() const { return source_; }
  /// Of what the fate of a mutant depends on besides its own text and the cases.
  std::string conditions() const;
  /// Whether a fate that was found earlier is still right: other cases kill what a case killed that is still there.
  bool stands(const Fate &) const;
  /// For several threads at once.
  Fate examine(const mutants::Mutant &);

 private:
  /// A mutant's build, and what is run of it.
  struct Subject;
  /// How a case has served so far.
  struct Service {
    int runs = 0, kills = 0;
    double seconds = 0;
  };

  std::filesystem::path write(const std::string &text);
  build::Build build(const mutants::Mutant &, const std::filesystem::path &folder) const;
  double points_of(const grading::StepRecord &) const;
  grading::StepRecord grade(const build::Build &, const std::filesystem::path &folder);
  const std::vector<problem::Case> &wider();
  void note_most(mutants::CaseRunner &, const problem::Case &);
  std::optional<std::uint64_t> most_of(const std::string &case_name) const;
  std::vector<course::Case> best_first(course::Visibility);
  std::optional<std::string> why_wrong(Subject &, const problem::Case &);
  Fate fate_of(Subject &, const std::filesystem::path &folder);
  std::optional<Fate> killed_by_cases(Subject &);
  std::optional<Fate> killed_by_grading(const build::Build &, const std::filesystem::path &folder);
  Fate searched(Subject &);

  const course::Assignment &assignment_;
  const Machine &machine_;
  grading::Options options_;
  const course::Step &step_;
  std::filesystem::path solutions_;
  grading::CaseData data_;
  mutants::Recordings recordings_;
  std::string source_, code_, cases_;
  build::Build build_;
  Scratch scratch_;
  std::mutex widening_;  ///< guards wider_. std::call_once would end the program if an exception passed it
  std::optional<std::vector<problem::Case>> wider_;
  double points_ = 0;                          ///< of the solution
  mutable std::mutex mutex_;                   ///< guards what follows
  std::map<std::string, std::uint64_t> most_;  ///< warp instructions of a case, by its name
  std::map<std::string, Service> service_;     ///< of a graded case, by its name
  std::map<std::string, Fate> by_code_;        ///< of mutants that differ inside kernels only
  int written_ = 0;
  std::vector<std::unique_ptr<grading::Grader>>
      idle_;  ///< they keep inputs and references for the next mutant
};

/// Outputs that do not depend on the inputs, held against every case.
std::vector<ConstantOutput> constant_outputs(const course::Assignment &, const course::Step &);

}  // namespace warpgrade::harden
