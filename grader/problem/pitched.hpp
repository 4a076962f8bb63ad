// a = b c in single precision, column-major with gaps between the columns: the problems "pitched" and
// "pitched_transposed". The launch geometry is part of a case, since it comes from outside the kernel.
#pragma once

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

/// a is n x m, b n x p, c p x m. Columns start `pitch` floats apart, or as many as they have elements if that
/// is more. Transposed: the element a[i, j] is in row j of column i, and c[k, j] in row j of column k.
class Pitched final : public MatrixProblem {
 public:
  explicit Pitched(bool transposed) : transposed_(transposed) {}
  std::string_view name() const override { return transposed_ ? "pitched_transposed" : "pitched"; }
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;
  std::vector<std::int64_t> arguments(const Case &) const override;

 protected:
  MatrixProduct shape(const Case &) const override;
  std::array<char, 3> names() const override { return {'b', 'c', 'a'}; }

 private:
  bool transposed_;
};

}  // namespace warpgrade::problem
