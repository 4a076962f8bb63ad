// histogram on the GPU; problem.cpp says what it is.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_histogram {

/// A group counts one bin in one part of the numbers: neighbouring threads read the same number at once, and
/// nothing needs an atomic.
struct Histogram {
  static constexpr const char *name = "histogram";
  static constexpr std::uint64_t part = 16384;
  using Group = std::uint32_t;
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_histogram(c.integers[1], c.integers[2], seed, static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static std::uint64_t parts(const OnDeviceCase &c) {
    return (c.elements[0] + part - 1) / part;
  }
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) { return parts(c) * c.elements[1]; }
  WARPGRADE_ANYWHERE static Group group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    const std::uint64_t bins = c.elements[1], first = g / bins * part;
    const std::uint64_t end = first + part < c.elements[0] ? first + part : c.elements[0];
    const auto bin = static_cast<std::uint32_t>(g % bins);
    Group count = 0;
    for (std::uint64_t i = first; i < end; ++i) count += in.of<std::uint32_t>(0)[i] == bin;
    return count;
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &, const Group *all,
                                        std::uint64_t bin) {
    std::uint64_t count = 0;
    for (std::uint64_t p = 0; p < parts(c); ++p) count += all[p * c.elements[1] + bin];
    return {static_cast<double>(count), 0};
  }
};

}  // namespace of_histogram
using namespace of_histogram;

WARPGRADE_ON_DEVICE(Histogram)
