// sum and argmin on the GPU; problem.cpp says what they are.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_reduction {

constexpr std::uint64_t chunk = 2048;  // elements of a group

struct Chunks {
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) {
    return (c.elements[0] + chunk - 1) / chunk;
  }
  WARPGRADE_ANYWHERE static std::uint64_t end(const OnDeviceCase &c, std::uint64_t g) {
    return (g + 1) * chunk < c.elements[0] ? (g + 1) * chunk : c.elements[0];
  }
};

struct Sums {
  double sum = 0, magnitudes = 0;
};

struct Sum : Chunks {
  static constexpr const char *name = "sum";
  using Group = Sums;
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_sum(c.integers[0], c.integers[1] == 1, order_of(c.integers[2], c.integers[3]), seed,
                          static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static Sums group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    Sums sums;
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i) {
      sums.sum += in.of<float>(0)[i];
      sums.magnitudes += fabs(static_cast<double>(in.of<float>(0)[i]));
    }
    return sums;
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &, const Sums *all,
                                        std::uint64_t) {
    Sums sums;
    for (std::uint64_t g = 0; g < groups(c); ++g) {
      sums.sum += all[g].sum;
      sums.magnitudes += all[g].magnitudes;
    }
    return {sums.sum, c.integers[1] == 1 ? 0.0 : sums.magnitudes};
  }
};

struct ArgMin : Chunks {
  static constexpr const char *name = "argmin";
  using Group = std::uint64_t;  ///< a place
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_argmin(c.integers[0], order_of(c.integers[2], c.integers[1]), seed,
                             static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static Group group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    Group least = g * chunk;
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i)
      if (in.of<float>(0)[i] < in.of<float>(0)[least]) least = i;
    return least;
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const Group *all,
                                        std::uint64_t) {
    Group least = 0;
    for (std::uint64_t g = 0; g < groups(c); ++g)
      if (in.of<float>(0)[all[g]] < in.of<float>(0)[least]) least = all[g];
    return {static_cast<double>(least), 0};
  }
};

}  // namespace of_reduction
using namespace of_reduction;

WARPGRADE_ON_DEVICE(Sum, ArgMin)
