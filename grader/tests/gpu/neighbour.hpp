// Somebody else who uses the GPU while the grader measures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpgrade::gpu {

/// Keeps a GPU busy through the driver in turns of random length, about half of the time, until `turns` are
/// over (0: for ever) or this process is killed. `image` has a kernel `busy`. Prints a line once it has
/// begun. Gives an exit status.
int be_a_noisy_neighbour(const std::string &driver_library, int device_index,
                         const std::vector<std::byte> &image, int turns);

}  // namespace warpgrade::gpu
