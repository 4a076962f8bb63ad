// The runtime in whose process this library is. Both are part of the simulator, and no program has one of them alone.
#pragma once

#include "runtime/simulate/services.hpp"

namespace warpgrade::nccl {

const cuda::Services &services();

}  // namespace warpgrade::nccl
