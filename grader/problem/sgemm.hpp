// C = alpha * A * B + beta * C in single precision, row-major and contiguous: the problem "sgemm".
#pragma once

#include "problem/problem.hpp"

namespace warpgrade::problem {

class Sgemm final : public Problem {
 public:
  std::string_view name() const override { return "sgemm"; }
  const std::vector<Integer> &integers() const override;
  const std::vector<Real> &reals() const override;
  std::string case_name(const Case &) const override;
  double flops(const Case &) const override;
  double compulsory_bytes(const Case &) const override;
  std::uint64_t outputs(const Case &) const override;
  std::vector<plan::Buffer> buffers(const Case &) const override;
  std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t seed) const override;
  std::optional<MatrixProduct> product(const Case &) const override;
  Reference reference(const Case &, const std::vector<run::HostBuffer> &inputs) const override;
  Comparison compare(const Case &, const std::vector<run::HostBuffer> &inputs, const Reference &,
                     const std::vector<run::HostBuffer> &outputs, double tolerance) const override;
  std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &inputs,
                                        const std::vector<run::HostBuffer> &outputs, double tolerance,
                                        std::uint64_t seed) const override;
};

/// Where the wrong elements of a rows x cols matrix lie, in words a person debugs with: "every element",
/// "column 128, the last", "rows 96 to 128 or columns 96 to 128, beyond the last full 32x32 tile", "row 3".
/// `wrong` holds rows * cols flags, row-major. Empty when nothing is wrong.
std::string locate(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols);
/// The same as counts over a coarse grid.
WrongMap map_of(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols);

}  // namespace warpgrade::problem
