// counts[b] = how many of n numbers equal b: the problem "histogram".
#pragma once

#include "problem/exact.hpp"

namespace warpgrade::problem {

/// Sizes n: how many numbers; bins: the numbers are 0 to bins - 1; crowded: this percentage of them, spread
/// over the array, is one number drawn by the seed; the rest is uniformly distributed.
class Histogram final : public ExactProblem {
 public:
  std::string_view name() const override { return "histogram"; }
  const std::vector<Integer> &integers() const override;
  std::string case_name(const Case &) const override;
  /// The numbers, each once. The output is small in comparison.
  double work(const Case &) const override;
  double compulsory_bytes(const Case &) const override;
  std::vector<std::int64_t> arguments(const Case &) const override;
  Reference reference(const Case &, const std::vector<run::HostBuffer> &inputs) const override;

 protected:
  std::vector<Array> arrays(const Case &) const override;
  std::uint32_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override;
};

}  // namespace warpgrade::problem
