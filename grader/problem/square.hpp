// P = M N for square matrices; M and P are row-major, N row-major or column-major: the problems "square",
// "square_by_columns" and, with a coarsening factor as an argument, "square_coarsened".
#pragma once

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

/// Sizes n; for the coarsened problem also factor: 1, 2, 4 or 8 neighbouring tiles per block.
class Square final : public MatrixProblem {
 public:
  enum class Kind : std::uint8_t { by_rows, by_columns, coarsened };
  explicit Square(Kind kind) : kind_(kind) {}
  std::string_view name() const override;
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;

 protected:
  MatrixProduct shape(const Case &) const override;
  std::array<char, 3> names() const override { return {'M', 'N', 'P'}; }

 private:
  Kind kind_;
};

}  // namespace warpgrade::problem
