// The launches of a step for any sizes, from plans that were recorded for some: kernels in order, with formulas for
// their geometry and arguments.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "launches/fit.hpp"
#include "plan/plan.hpp"
#include "ptx/module.hpp"

namespace warpgrade::launches {

std::vector<const plan::Launch *> launches_of(const plan::LaunchPlan &);

/// What a launcher did for one case.
struct Recorded {
  std::vector<std::int64_t> sizes;
  std::vector<double> reals;  ///< factors of the case, each a number that nothing else is
  plan::LaunchPlan plan;
};

struct Argument {
  enum class Kind : std::uint8_t { integer, pointer, data };
  Kind kind = Kind::data;
  std::string value = "0";  ///< of an integer; of a pointer, bytes behind the start of its buffer
  std::string buffer;       ///< of a pointer
};

struct Launch {
  std::string kernel;  ///< mangled
  std::array<std::string, 3> grid, block;
  std::string dynamic_shared_bytes;
  std::vector<Argument> arguments;  ///< one for each parameter
  /// Of a loop of launches, how many there are. Its other formulas may contain `launch`, the number of each from 0.
  std::string turns = {};
  std::string only_if = {};  ///< it is made only at sizes for which this holds; empty: always
};

/// The name that counts the launches of a loop.
inline constexpr const char *turn_name = "launch";

/// A buffer that the launcher allocates, or a variable of the module.
struct Scratch {
  std::string name, bytes;
};

struct Launches {
  std::vector<Launch> launches;
  std::vector<Scratch> scratch;
  std::string why_not;  ///< a sentence, if they have no formulas
};

/// fitted   plans that formulas are found from
/// checked  further ones, which the formulas must give too
Launches fit_launches(const std::vector<std::string> &names, const std::vector<Recorded> &fitted,
                      const std::vector<Recorded> &checked, const ptx::Module &,
                      const std::set<std::int64_t> &preferred);

}  // namespace warpgrade::launches
