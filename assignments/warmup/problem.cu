// vector_add, saxpy and grey on the GPU; problem.cpp says what they are.
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_warmup {

struct Drawn {
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return awkward_element(seed, static_cast<std::uint64_t>(array), i);
  }
};

struct VectorAdd : Drawn {
  static constexpr const char *name = "vector_add";
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    return {in.of<float>(0)[i] + in.of<float>(1)[i], 0};
  }
};

struct Saxpy : Drawn {
  static constexpr const char *name = "saxpy";
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    const double ax = static_cast<double>(static_cast<float>(c.reals[0])) * in.of<float>(0)[i],
                 y = in.of<float>(1)[i];
    return {ax + y, fabs(ax) + fabs(y)};
  }
};

struct Grey {
  static constexpr const char *name = "grey";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return random_bits(seed, static_cast<std::uint64_t>(array) + 1, i) >> 56;
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    const std::uint8_t *const pixel = in.of<std::uint8_t>(0) + 3 * i;
    return {static_cast<double>((77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) / 256), 0};
  }
};

}  // namespace of_warmup
using namespace of_warmup;

WARPGRADE_ON_DEVICE(VectorAdd, Saxpy, Grey)
