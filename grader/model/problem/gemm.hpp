// C = alpha A B + beta C, row-major and contiguous, of any sizes. A problem adds its name, its launcher and
// the type of A and B.
#pragma once

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

class GemmProblem : public MatrixProblem {
 public:
  /// How the factors are drawn, and with that their type.
  GemmProblem(Fill a, Fill b) : a_(a), b_(b) {}
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;

 protected:
  MatrixProduct shape(const Case &) const override;

 private:
  Fill a_, b_;
};

}  // namespace warpgrade::problem
