// spmv_csr on the GPU; problem.cpp says what it is.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_spmv {

/// Of the products of some entries, whichever rows these belong to.
struct Sums {
  double sum = 0, magnitudes = 0;
  WARPGRADE_ANYWHERE void add(double more, double magnitude) {
    sum += more;
    magnitudes += magnitude;
  }
};

/// A row is the sum of whole chunks, of which each is added once, and of the entries before and behind them.
struct Rows {
  static constexpr const char *name = "spmv_csr";
  static constexpr std::uint64_t chunk = 256;
  using Group = Sums;

  static std::vector<std::int32_t> first_array(const OnDeviceCase &c, std::uint64_t seed) {
    const std::vector<std::int64_t> begins = starts(Listing::of(c.integers), seed);
    return {begins.begin(), begins.end()};
  }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i, const Arrays &in) {
    const Listing l = Listing::of(c.integers);
    if (array > 1)
      return number(l.kind, l.columns, static_cast<std::size_t>(array - 2),
                    random_bits(seed, static_cast<std::uint64_t>(array) + 1, i),
                    random_bits(seed, static_cast<std::uint64_t>(array) + 1, i / 2), i % 2 == 1);
    // The last row that begins at entry i or before it.
    const std::int32_t *const start = in.of<std::int32_t>(0);
    const auto entry = static_cast<std::int64_t>(i);
    std::int64_t row = 0, end = l.rows;
    while (end - row > 1) {
      const std::int64_t middle = (row + end) / 2;
      (start[middle] <= entry ? row : end) = middle;
    }
    return bits_of(
        column_of(random_bits(seed, 2, i), entry - start[row], start[row + 1] - start[row], l.columns));
  }

  WARPGRADE_ANYWHERE static double product(const Arrays &in, std::uint64_t entry) {
    return static_cast<double>(in.of<float>(2)[entry]) * in.of<float>(3)[in.of<std::int32_t>(1)[entry]];
  }
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) { return c.elements[1] / chunk; }
  WARPGRADE_ANYWHERE static Sums group(const OnDeviceCase &, const Arrays &in, std::uint64_t g) {
    Sums sums;
    for (std::uint64_t e = g * chunk; e < (g + 1) * chunk; ++e) {
      const double one = product(in, e);
      sums.add(one, fabs(one));
    }
    return sums;
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const Sums *groups,
                                        std::uint64_t row) {
    const auto first = static_cast<std::uint64_t>(in.of<std::int32_t>(0)[row]),
               end = static_cast<std::uint64_t>(in.of<std::int32_t>(0)[row + 1]);
    Sums sums;
    for (std::uint64_t e = first; e < end;) {
      if (e % chunk == 0 && e + chunk <= end) {
        sums.add(groups[e / chunk].sum, groups[e / chunk].magnitudes);
        e += chunk;
      } else {
        const double one = product(in, e++);
        sums.add(one, fabs(one));
      }
    }
    const bool exact = Listing::of(c.integers).kind.exact;
    return {sums.sum, exact ? 0.0 : sums.magnitudes * static_cast<double>(end - first)};
  }
};

}  // namespace of_spmv
using namespace of_spmv;

WARPGRADE_ON_DEVICE(Rows)
