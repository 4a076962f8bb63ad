// Plans of a step at chosen sizes: what a launcher does is found from them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launches/branches.hpp"
#include "launches/plans.hpp"
#include "problem/problem.hpp"

namespace warpgrade::grading {

class StepGrader;

class PlanSamples {
 public:
  struct Size {
    std::size_t integer = 0;  ///< of the problem
    std::int64_t least = 1, most = 1, divisor = 1;
  };

  /// brief  few plans
  PlanSamples(StepGrader &grader, bool brief);

  const std::vector<std::string> &names() const { return names_; }  ///< of sizes
  const std::vector<Size> &sizes() const { return sizes_; }
  std::string in_words() const;  ///< "m, n, k from 1 to 32768; block 16 or 32"

  /// All values of the switches that change what is launched, each with each. A switch is an integer that is no size,
  /// of which the cases have a few values.
  std::vector<std::vector<std::int64_t>> combinations();
  /// "block = 16"
  std::vector<std::string> chosen_in_words() const;

  /// Records plans with these values of the switches. Returns why there are too few.
  std::string record(const std::vector<std::int64_t> &chosen);
  /// Of the launcher; none if simple conditions do not tell the plans apart.
  std::vector<launches::Branch> branches();

  struct OfBranch {
    std::vector<launches::Recorded> fitted,
        checked;  ///< formulas come from the first, and hold for the others
  };
  OfBranch of(const launches::Branch &) const;
  static constexpr std::ptrdiff_t least_fitted = 4, least_checked = 2;  ///< plans of a branch
  std::vector<const launches::Recorded *> all() const;

  /// The whole case of these sizes; nothing if the problem has none.
  std::optional<problem::Case> case_of(const std::vector<std::int64_t> &sizes) const;
  /// Sides of blocks, and the integers of the source.
  std::set<std::int64_t> preferred() const;

 private:
  struct Switch {
    std::size_t integer = 0;
    std::vector<std::int64_t> values;
  };

  void find_sizes();
  bool changes_launches(std::size_t which) const;
  bool record_at(std::vector<std::int64_t> sizes, std::vector<launches::Recorded> &to,
                 std::optional<double> factor = {});
  std::vector<std::int64_t> ordinary_row(std::size_t row) const;
  bool is_of(const launches::Recorded &, const launches::Branch &) const;
  void fill(const launches::Branch &);

  StepGrader &g_;
  const problem::Problem &p_;
  const bool brief_;
  std::vector<Size> sizes_;
  std::vector<std::string> names_;
  std::vector<Switch> switches_;
  std::vector<std::int64_t> chosen_;  // of each switch
  bool several_devices_ = false;      ///< of the plan that was recorded last
  std::vector<launches::Recorded> fitted_, checked_;
};

}  // namespace warpgrade::grading
