// filter, separable and stencil on the GPU; problem.cpp says what they are.
#include "problem/on_device.cuh"

using namespace warpgrade::problem;
using namespace warpgrade::problem::on_device;

namespace of_convolution {

/// A sum of products, and that of their magnitudes.
struct Sum {
  Wanted made;
  WARPGRADE_ANYWHERE void add(double product) {
    made.value += product;
    made.scale += fabs(product);
  }
};

constexpr std::int64_t reach = 2, side = 2 * reach + 1;

struct Drawn {
  WARPGRADE_ANYWHERE static std::uint64_t element(const OnDeviceCase &, std::uint64_t seed, int array,
                                                  std::uint64_t i) {
    return awkward_element(seed, static_cast<std::uint64_t>(array), i);
  }
};

/// separable: the weights are products of one of array 1 (across) and one of array 2 (down).
template <bool separable>
struct Filter : Drawn {
  static constexpr const char *name = separable ? "separable" : "filter";
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    const std::int64_t height = c.integers[0], width = c.integers[1];
    const auto r = static_cast<std::int64_t>(i) / width, k = static_cast<std::int64_t>(i) % width;
    const float *const x = in.of<float>(0), *const weights = in.of<float>(1), *const down = in.of<float>(2);
    Sum sum;
    for (std::int64_t dr = 0; dr < side; ++dr)
      for (std::int64_t dk = 0; dk < side; ++dk) {
        const std::int64_t row = r + dr - reach, column = k + dk - reach;
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        const double weight =
            separable ? static_cast<double>(down[dr]) * weights[dk] : weights[dr * side + dk];
        sum.add(weight * x[row * width + column]);
      }
    return sum.made;
  }
};

struct Stencil : Drawn {
  static constexpr const char *name = "stencil";
  WARPGRADE_ANYWHERE static Wanted want(const OnDeviceCase &c, const Arrays &in, const NoGroup *,
                                        std::uint64_t i) {
    const std::int64_t depth = c.integers[0], height = c.integers[1], width = c.integers[2];
    const auto at = static_cast<std::int64_t>(i), z = at / width / height, r = at / width % height,
               k = at % width;
    const double a = static_cast<float>(c.reals[0]), b = static_cast<float>(c.reals[1]);
    const float *const x = in.of<float>(0) + at;
    Sum sum;
    sum.add(a * x[0]);
    if (r > 0) sum.add(b * x[-width]);
    if (r + 1 < height) sum.add(b * x[width]);
    if (k > 0) sum.add(b * x[-1]);
    if (k + 1 < width) sum.add(b * x[1]);
    if (z > 0) sum.add(b * x[-height * width]);
    if (z + 1 < depth) sum.add(b * x[height * width]);
    return sum.made;
  }
};

}  // namespace of_convolution
using namespace of_convolution;

WARPGRADE_ON_DEVICE(Filter<false>, Filter<true>, Stencil)
