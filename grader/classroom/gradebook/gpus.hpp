// Which GPUs of this machine a class is measured on.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace warpgrade::gradebook {

/// `wanted` as `--gpus` has it: "0,1", by the numbers that `grade doctor` shows; empty: all of the kind of
/// the first. Times of two kinds are not comparable, so kinds are never mixed. Throws UsageError with the
/// GPUs there are.
std::vector<gpu::DeviceInfo> pick_gpus(const std::vector<gpu::DeviceInfo> &all, const std::string &wanted);

/// Those that came back from all that ran on them; the others are named on stderr. Throws UsageError when
/// none is left.
std::vector<gpu::DeviceInfo> gpus_in_use(std::vector<gpu::DeviceInfo>);

}  // namespace warpgrade::gradebook
