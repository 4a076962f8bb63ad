// What would have to have a solution for a property to fail; and a case for it, which is then run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prove/decider.hpp"
#include "prove/prove.hpp"
#include "prove/scene.hpp"

namespace warpgrade::prove {

/// A way to fail: its formula, completed, and the line to show.
struct Danger {
  Formula formula;
  std::uint32_t instruction = 0;
  std::string why;       ///< for people
  bool possible = true;  ///< false: it is not known what happens there, so no case can be derived
  bool of_data =
      false;  ///< the case depends on what memory holds, so that it says little if it is not confirmed
};

/// Finds sizes at which a danger becomes real, and has them run.
class CaseFinder {
 public:
  using Runs = std::map<Sizes, std::optional<Seen>>;
  /// runs  that were made already, also for other properties
  CaseFinder(const Problem &problem, Scene &scene, Decider &decider, const Runner &runner,
             const Limits &limits, Runs &runs)
      : problem_(problem), scene_(scene), decider_(decider), runner_(runner), limits_(limits), run_(runs) {}

  struct Found {
    Sizes sizes;
    std::map<std::string, std::int64_t> thread;
    bool confirmed = false;
    std::string text;
  };
  /// A case in which `failed` was seen; or one that was not confirmed; or nothing.
  std::optional<Found> find(const Danger &, bool Seen::*failed);
  /// The same for what only large sizes can do: the least at which it is possible, of all sizes alike, of two, of one.
  std::optional<Found> find_far(const Danger &, bool Seen::*failed);

 private:
  std::optional<Found> at(const Formula &, const Sizes &);
  std::vector<Sizes> candidates(const Formula &);
  std::optional<Sizes> least_of(const Formula &, const std::vector<std::string> &alike);
  std::vector<Sizes> combinations(const std::vector<std::int64_t> &values, std::size_t most) const;
  bool allowed(const Sizes &) const;
  std::optional<Seen> run(const Sizes &);
  const Problem &problem_;
  Scene &scene_;
  Decider &decider_;
  const Runner &runner_;
  const Limits &limits_;
  Runs &run_;
};

}  // namespace warpgrade::prove
