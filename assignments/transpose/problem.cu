// transpose and copy_matrix on the GPU; problem.cpp says what they are.
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_transpose {

template <bool transposes>
struct Moved {
  static constexpr const char *name = transposes ? "transpose" : "copy_matrix";
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return awkward_element(seed, static_cast<std::uint64_t>(array), i);
  }
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    const auto rows = static_cast<std::uint64_t>(c.integers[0]),
               columns = static_cast<std::uint64_t>(c.integers[1]);
    return {in.of<float>(0)[transposes ? i % rows * columns + i / rows : i], 0};
  }
};

}  // namespace of_transpose
using namespace of_transpose;

WARPGRADE_ON_DEVICE(Moved<false>, Moved<true>)
