// A submission graded without a GPU in which much is alike: eleven cases fail for one reason, products are as
// small as 2 x 2, and steps share one place under the roof. All figures are made up.
#pragma once

#include "tests/report/gpu_sample.hpp"

namespace warpgrade::report {

struct AlikeSample : GpuSample {
  AlikeSample();
};

}  // namespace warpgrade::report
