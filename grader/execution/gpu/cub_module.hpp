// The C interface of libwarpgrade_cub.so. CUB consists of headers, which take long to compile and need the
// CUDA runtime, so its routines are a library of their own that is opened at run time like NVIDIA's.
#pragma once

#include <cstdint>

namespace warpgrade::gpu {

/// routine        problem::Routine
/// operands       `count` device pointers; bytes: how long each is
/// scratch        device memory; null: nothing is run, and *scratch_bytes becomes how much there must be
/// returns        0, or an error of the CUDA runtime
using CubRun = int(std::uint32_t routine, void *const *operands, const std::uint64_t *bytes,
                   std::uint32_t count, void *scratch, std::uint64_t *scratch_bytes, void *stream);
inline constexpr char cub_run[] = "warpgrade_cub_run";
/// CUB's own number, such as 300001
using CubVersion = int();
inline constexpr char cub_version[] = "warpgrade_cub_version";
/// The name of an error
using CubError = const char *(int);
inline constexpr char cub_error[] = "warpgrade_cub_error";

}  // namespace warpgrade::gpu
