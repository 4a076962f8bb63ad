// The common part of problems that are one matrix product, C = alpha A B + beta C, in any layout: inputs,
// reference, comparison. C is in single precision; A and B are too, or in half precision or e4m3. A problem adds its
// sizes, its layout and its names.
#pragma once

#include <array>

#include "problem/problem.hpp"
#include "problem/registry.hpp"

namespace warpgrade::problem {

class MatrixProblem : public Problem {
 public:
  const std::vector<Real> &reals() const override {
    static const std::vector<Real> none;
    return none;
  }
  double flops(const Case &) const override;
  double compulsory_bytes(const Case &) const override;
  std::uint64_t outputs(const Case &) const override;
  std::vector<plan::Buffer> buffers(const Case &) const override;
  std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t seed) const override;
  std::optional<MatrixProduct> product(const Case &) const override;
  bool is_product() const override { return true; }
  Reference reference(const Case &, const std::vector<run::HostBuffer> &inputs) const override;
  std::vector<Place> places(const Case &) const override;
  Comparison compare(const Case &, const std::vector<run::HostBuffer> &inputs, const Reference &,
                     const std::vector<run::HostBuffer> &outputs, double tolerance) const override;
  std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &inputs,
                                        const std::vector<run::HostBuffer> &outputs, double tolerance,
                                        std::uint64_t seed) const override;
  std::vector<std::string> mistakes(const Case &, const std::vector<run::HostBuffer> &inputs,
                                    const std::vector<run::HostBuffer> &outputs,
                                    double tolerance) const override;
  std::string confused_sizes(const Case &, const std::vector<run::HostBuffer> &inputs,
                             const std::vector<run::HostBuffer> &outputs, double tolerance) const override;
  double least_shared_bytes(const Case &) const override;

 protected:
  /// Sizes, factors, and the layout of the elements.
  virtual MatrixProduct shape(const Case &) const = 0;
  /// What the launcher calls the two factors and the result.
  virtual std::array<char, 3> names() const { return {'A', 'B', 'C'}; }
};

/// Row-major without gaps.
Matrix row_major(std::int64_t rows, std::int64_t columns, Fill fill);
/// Column j begins at j * pitch; pitch >= rows.
Matrix column_major(std::int64_t pitch, std::int64_t columns, Fill fill);
/// How the factors and the result are drawn. A and B have different distances from the numbers that shorter
/// formats can represent, so that the roundings of the two factors of a product cannot cancel.
constexpr Fill fill_a{1, 3, 4}, fill_b{2, 1, 2}, fill_c{3, 1, 4};
/// The same for factors in half precision.
constexpr Fill fill_half_a{1, 3, 4, Type::f16}, fill_half_b{2, 1, 2, Type::f16};

/// What is wrong with one product: Problem::mistakes() for a batch of one.
std::vector<std::string> mistakes_of(const MatrixProduct &, const std::vector<run::HostBuffer> &inputs,
                                     const std::vector<run::HostBuffer> &outputs, double tolerance);

/// The elements of a matrix's buffer, in the buffer's order. Throws std::invalid_argument if the buffer is
/// too small.
std::vector<float> numbers_of(const Matrix &, const run::HostBuffer &);

/// Where the wrong elements of a rows x cols matrix are, in words that help to debug: "every element",
/// "column 128, the last", "rows 96 to 128 or columns 96 to 128, beyond the last full 32x32 tile", "row 3".
/// `wrong` has rows * cols flags, row-major. Empty if nothing is wrong.
std::string locate(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols,
                   std::string_view name = "C");
/// The same as counts over a coarse grid.
WrongMap map_of(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols);

}  // namespace warpgrade::problem
