// The integer-set library behind one function.
#pragma once

#include <map>
#include <memory>

#include "prove/decider.hpp"

namespace warpgrade::prove {

Integer value_of(const Polynomial &, const std::map<Symbol, Integer> &point);

/// Constraints that are linear once each product of symbols counts as a symbol of its own.
class LinearSolver {
 public:
  LinearSolver();
  ~LinearSolver();
  LinearSolver(const LinearSolver &) = delete;
  LinearSolver &operator=(const LinearSolver &) = delete;
  /// A point has the values of plain symbols only. `fractions`: only whether not even fractions satisfy them,
  /// which takes little time.
  Solution solve(const Conjunction &, bool fractions);
  static bool available();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace warpgrade::prove
