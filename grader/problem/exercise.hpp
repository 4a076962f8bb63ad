// The arrays of an exercise on access patterns: every thread i = 0 .. n - 1 copies, adds up and scatters. The
// problem "exercise".
#pragma once

#include "problem/exact.hpp"

namespace warpgrade::problem {

/// With blocks of 256 threads, of which thread t of block g is number i = 256 g + t:
///
///     d[i + 8] = a[i]
///     e[8 i] = b[j n + q] + c[4 q + j]     for j = 4 t / 256, q = 256 g + 4 t % 256
///
/// Nothing else of d (n + 8 elements) and e (8 n) may change. Size n, a multiple of 256.
class Exercise final : public ExactProblem {
 public:
  std::string_view name() const override { return "exercise"; }
  const std::vector<Integer> &integers() const override;
  std::string case_name(const Case &) const override;
  double work(const Case &) const override;
  double compulsory_bytes(const Case &) const override;
  Reference reference(const Case &, const std::vector<run::HostBuffer> &inputs) const override;

 protected:
  std::vector<Array> arrays(const Case &) const override;
  std::uint32_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override;
};

}  // namespace warpgrade::problem
