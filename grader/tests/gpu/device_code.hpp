// The fat binaries of kernels.cu, tensor_kernels.cu and record/launchers/hopper.cu, compiled at build time.
#pragma once

#include <cstddef>
#include <vector>

namespace warpgrade::gpu {

std::vector<std::byte> test_fat_binary();
std::vector<std::byte> tensor_fat_binary();
std::vector<std::byte> hopper_fat_binary();

}  // namespace warpgrade::gpu
