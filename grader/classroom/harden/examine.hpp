// What becomes of each mutant of a step. Internal to harden/.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
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
  /// Of what the fate of a mutant depends on besides its own text.
  std::string conditions() const;
  /// For several threads at once.
  Fate examine(const mutants::Mutant &);

 private:
  std::filesystem::path write(const std::string &text);
  void run_solution();
  double points_of(const grading::StepRecord &) const;
  std::optional<Fate> killed_by_cases(mutants::CaseRunner &);
  std::optional<Fate> killed_by_grading(const build::Build &, const std::filesystem::path &folder);
  Fate searched(mutants::CaseRunner &);
  std::uint64_t most_instructions(const problem::Case &, const mutants::Ran &);

  const course::Assignment &assignment_;
  const Machine &machine_;
  grading::Options options_;
  const course::Step &step_;
  std::filesystem::path solutions_;
  grading::CaseData data_;
  std::string source_, code_;
  build::Build build_;
  std::vector<problem::Case> wider_;
  std::map<std::string, std::uint64_t> most_;  ///< warp instructions of a case, by its name
  double points_ = 0;
  Scratch scratch_;
  std::mutex mutex_;
  int written_ = 0;
};

/// Outputs that do not depend on the inputs, held against every case.
std::vector<ConstantOutput> constant_outputs(const course::Assignment &, const course::Step &);

}  // namespace warpgrade::harden
