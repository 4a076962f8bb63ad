// Decides whether integers satisfy polynomial constraints. Products of symbols count as symbols of their own, tied
// to their factors by products of constraints: "no solution" is exact, and so is a solution of linear constraints.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "prove/polynomial.hpp"

namespace warpgrade::prove {

/// All of `atoms`, and one conjunction of each disjunction.
struct Formula {
  Conjunction atoms;
  std::vector<Disjunction> clauses;
  void add(const Formula &);
  void add(const Disjunction &);  ///< as atoms if there is one case
  Formula rename(const std::map<Symbol, Symbol> &) const;
  Formula substitute(Symbol, const Polynomial &) const;
  auto operator<=>(const Formula &) const = default;
};

enum class Emptiness { empty, has_point, unknown };

/// How hard to look whether there is a solution: only for fractions, then for integers, then for integers within the
/// upper limits of sizes, which few proofs need. Integers take a hundred times as long as fractions.
enum class Look { fractions, integers, whole };

struct Solution {
  Emptiness emptiness = Emptiness::unknown;
  /// If it has a point, or may have one: a value for each symbol. Without `exact` it satisfies only what was
  /// derived.
  std::map<Symbol, Integer> point;
};

class Decider {
 public:
  /// work  0: no limit. Counted in the constraints of questions, so that it ends at the same one on every machine.
  explicit Decider(double seconds, std::uint64_t work = 0);
  ~Decider();
  Decider(const Decider &) = delete;
  Decider &operator=(const Decider &) = delete;

  /// False if that is not known.
  bool is_empty(const Formula &, Look = Look::whole);
  /// A point if there is one, as far as that is found out.
  Solution solve(const Formula &);
  /// By the clock or by work. From then on, every answer is that nothing is known.
  bool out_of_time() const;
  bool stopped_by_clock() const { return late_; }
  std::uint64_t work() const { return work_; }

 private:
  struct Library;
  /// What is tried on a conjunction, from quick to thorough.
  enum class Effort { fractions, fractions_in_limits, integers, integers_in_limits };
  bool is_empty(const Conjunction &, const std::vector<Disjunction> &, std::size_t from, Look, int &budget);
  Solution solve(const Conjunction &, const std::vector<Disjunction> &, std::size_t from, int &budget);
  bool excludes(Conjunction, Effort);
  bool part_is_empty(const Conjunction &, bool fractions);
  Solution point_in(Conjunction);
  Solution ask(const Conjunction &, bool fractions);
  std::unique_ptr<Library> library_;
  std::map<std::pair<Formula, Look>, bool> known_;
  std::map<std::pair<Conjunction, bool>, bool> known_parts_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t most_work_, work_ = 0;
  mutable bool late_ = false;
};

}  // namespace warpgrade::prove
