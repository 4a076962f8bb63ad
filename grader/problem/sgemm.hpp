// C = alpha * A * B + beta * C in single precision, row-major and contiguous: the problem "sgemm".
#pragma once

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

class Sgemm final : public MatrixProblem {
 public:
  std::string_view name() const override { return "sgemm"; }
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;

 protected:
  MatrixProduct shape(const Case &) const override;
};

}  // namespace warpgrade::problem
