// A launcher that chooses: which kernels it launches at which sizes, with the conditions that tell the sizes apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace warpgrade::launches {

struct Branch {
  std::vector<std::string> conditions;  ///< all hold at its sizes, as prove/prove.hpp reads them: "n <= 512"
  std::string kernels;                  ///< what is launched there
};

/// The kernels of a plan in order, repetitions as one: a text that plans of one branch have in common.
std::string kernels_of(const plan::LaunchPlan &);

/// What was launched at some sizes.
struct Choice {
  std::vector<std::int64_t> sizes;
  std::string kernels;
};

/// What would be launched at these sizes; nothing if it cannot be found out.
using Ask = std::function<std::optional<std::string>(const std::vector<std::int64_t> &)>;

/// Branches that together allow all choices. Two of them may have the same conditions, where no simple condition tells
/// them apart: each is then decided for all sizes that meet the conditions.
/// likely  numbers that sizes may be compared with or divided by, such as those in the source
std::vector<Branch> branches_of(const std::vector<std::string> &names, const std::vector<Choice> &,
                                const std::set<std::int64_t> &likely, const Ask &);

/// Whether a branch allows these sizes.
bool allows(const Branch &, const std::vector<std::string> &names, const std::vector<std::int64_t> &sizes);

}  // namespace warpgrade::launches
