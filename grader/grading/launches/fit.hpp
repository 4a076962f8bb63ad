// Formulas of a launcher, found from what it did: numbers of recorded plans as expressions of the sizes of their cases.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpgrade::launches {

/// A number that a launcher computed for some sizes.
struct Observation {
  std::vector<std::int64_t> sizes;
  std::int64_t value = 0;
};

struct Formula {
  std::string text;  ///< "min(ceil_div(n, 8), 65535)": as prove/prove.hpp reads it
  std::function<std::int64_t(const std::vector<std::int64_t> &)> value;
  bool gives(const Observation &o) const { return value(o.sizes) == o.value; }
};

/// The simplest of the known forms that gives every observation: constants, sizes, their products and sums, multiples,
/// quotients rounded up or down, the least or greatest of these and a number. Nothing if none does.
/// names      of the sizes
/// preferred  divisors that are likely, such as the sides of blocks, where several fit
/// known      further quantities that numbers may be computed from
std::optional<Formula> fit(const std::vector<std::string> &names, const std::vector<Observation> &,
                           const std::set<std::int64_t> &preferred, const std::vector<Formula> &known = {});

/// What is left of each size in a turn of a loop that takes `most` at a time: "min(m - 64 * launch, 64)".
/// turn  which of the names counts the turns
std::vector<Formula> shares(const std::vector<std::string> &names, std::size_t turn, std::int64_t most);

}  // namespace warpgrade::launches
