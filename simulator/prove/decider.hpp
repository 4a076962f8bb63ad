// Decides whether integers satisfy polynomial constraints. Products of symbols count as symbols of their own, tied
// to their factors by products of constraints: "no solution" is exact, and so is a solution of linear constraints.
#pragma once

#include <chrono>
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

struct Solution {
  Emptiness emptiness = Emptiness::unknown;
  /// If it has a point, or may have one: a value for each symbol. Without `exact` it satisfies only what was
  /// derived.
  std::map<Symbol, Integer> point;
};

class Decider {
 public:
  explicit Decider(double seconds);
  ~Decider();
  Decider(const Decider &) = delete;
  Decider &operator=(const Decider &) = delete;

  /// False if that is not known. A quick answer leaves upper limits of sizes aside, which few proofs need.
  bool is_empty(const Formula &, bool quick = false);
  /// A point if there is one, as far as that is found out.
  Solution solve(const Formula &);
  bool out_of_time() const { return std::chrono::steady_clock::now() > deadline_; }
  int calls() const { return calls_; }

 private:
  struct Library;
  /// What is tried on a conjunction, from quick to thorough.
  enum class Effort { fractions, integers, limits, point };
  bool is_empty(const Conjunction &, const std::vector<Disjunction> &, std::size_t from, bool quick,
                int &budget);
  Solution solve(const Conjunction &, const std::vector<Disjunction> &, std::size_t from, int &budget);
  bool excludes(Conjunction, Effort);
  bool part_is_empty(const Conjunction &, bool fractions);
  Solution point_in(Conjunction);
  std::unique_ptr<Library> library_;
  std::map<std::pair<Formula, bool>, bool> known_;
  std::map<std::pair<Conjunction, bool>, bool> known_parts_;
  std::chrono::steady_clock::time_point deadline_;
  int calls_ = 0;
};

}  // namespace warpgrade::prove
