// scan and compact on the GPU; problem.cpp says what they are.
#include "elements.hpp"
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_scan {

constexpr std::uint64_t chunk = 1024;  // elements of a group

struct Chunks {
  using Group = std::int64_t;
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) {
    return (c.elements[0] + chunk - 1) / chunk;
  }
  WARPGRADE_ANYWHERE static std::uint64_t end(const OnDeviceCase &c, std::uint64_t g) {
    return (g + 1) * chunk < c.elements[0] ? (g + 1) * chunk : c.elements[0];
  }
  /// Each group becomes the sum of those before it; behind the last one is that of all.
  WARPGRADE_ANYWHERE static void join(const OnDeviceCase &c, Group *all) {
    Group sum = 0;
    const std::uint64_t count = groups(c);
    for (std::uint64_t g = 0; g < count; ++g) {
      const Group here = all[g];
      all[g] = sum;
      sum += here;
    }
    all[count] = sum;
  }
};

struct Scan : Chunks {
  static constexpr const char *name = "scan";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_scan({c.integers[0], c.integers[1] == 1, c.integers[2] == 1}, seed,
                           static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static Group group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    Group sum = 0;
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i) sum += in.of<std::int32_t>(0)[i];
    return sum;
  }
  WARPGRADE_ANYWHERE static void want_group(const OnDeviceCase &c, const Arrays &in, const Group *before,
                                            std::uint64_t g, Wants to) {
    Group sum = before[g];
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i) {
      sum += in.of<std::int32_t>(0)[i];
      to.put(i, {static_cast<double>(sum), 0});
    }
  }
};

/// What follows the kept elements stays as it was.
struct Compact : Chunks {
  static constexpr const char *name = "compact";
  /// One more than there are chunks: it also writes the number of kept elements, and does so for an empty
  /// array.
  WARPGRADE_ANYWHERE static std::uint64_t groups(const OnDeviceCase &c) { return Chunks::groups(c) + 1; }
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &c, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return element_of_compact(c.integers[1], {c.integers[0], c.integers[2] == 1, c.integers[3] == 1}, seed,
                              static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static Group group(const OnDeviceCase &c, const Arrays &in, std::uint64_t g) {
    Group kept = 0;
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i) kept += in.of<std::int32_t>(0)[i] >= 0;
    return kept;
  }
  WARPGRADE_ANYWHERE static void want_group(const OnDeviceCase &c, const Arrays &in, const Group *before,
                                            std::uint64_t g, Wants to) {
    const std::uint64_t n = c.elements[0], chunks = Chunks::groups(c);
    const auto all = static_cast<std::uint64_t>(before[chunks]);
    auto place = static_cast<std::uint64_t>(before[g]);
    for (std::uint64_t i = g * chunk; i < end(c, g); ++i) {
      const std::int32_t x = in.of<std::int32_t>(0)[i];
      if (x >= 0) to.put(place++, {static_cast<double>(x), 0});
      if (i >= all) to.put(i, {static_cast<double>(in.of<std::int32_t>(1)[i]), 0});
    }
    if (g == chunks) to.put(n, {static_cast<double>(all), 0});
  }
};

}  // namespace of_scan
using namespace of_scan;

WARPGRADE_ON_DEVICE(Scan, Compact)
