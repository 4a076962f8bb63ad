// The common part of problems whose result is exact to the last bit, however it is computed: integers,
// copies, single roundings. Every element of every buffer is compared; there is no tolerance.
#pragma once

#include "problem/problem.hpp"

namespace warpgrade::problem {

class ExactProblem : public Problem {
 public:
  /// It computes almost nothing: reading takes the time.
  double flops(const Case &) const override { return 0; }
  std::string_view rate_unit() const override { return "GB/s"; }
  const std::vector<Real> &reals() const override;
  std::uint64_t outputs(const Case &) const override;
  std::vector<plan::Buffer> buffers(const Case &) const override;
  std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t seed) const override;
  Comparison compare(const Case &, const std::vector<run::HostBuffer> &inputs, const Reference &,
                     const std::vector<run::HostBuffer> &outputs, double tolerance) const override;
  std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &inputs,
                                        const std::vector<run::HostBuffer> &outputs, double tolerance,
                                        std::uint64_t seed) const override;

 protected:
  /// An argument of the launcher: elements of 4 bytes.
  struct Array {
    std::string name;
    std::uint64_t elements = 0;
    bool is_output = false;
    bool is_float = false;  ///< else an unsigned integer
  };
  virtual std::vector<Array> arrays(const Case &) const = 0;
  /// Element i of an input of the launcher, as its bits; for an output, its value before the run.
  virtual std::uint32_t element(const Case &, std::uint64_t seed, std::size_t array,
                                std::uint64_t i) const = 0;
};

}  // namespace warpgrade::problem
