// C = A B or C = A B' for square matrices, row-major, with the width of a tile as an argument: the problem
// "tiled".
#pragma once

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

/// Sizes n; block: the width of a tile, 16 or 32; transposed: 1 for A B'.
class Tiled final : public MatrixProblem {
 public:
  std::string_view name() const override { return "tiled"; }
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;

 protected:
  MatrixProduct shape(const Case &) const override;
};

}  // namespace warpgrade::problem
