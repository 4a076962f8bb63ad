// The fat binary of kernels.cu, compiled at build time.
#pragma once

#include <cstddef>
#include <vector>

namespace warpgrade::gpu {

std::vector<std::byte> test_fat_binary();

}  // namespace warpgrade::gpu
