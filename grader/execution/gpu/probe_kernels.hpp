// Kernels that measure a GPU: their names, what they are given and what they leave. For probe.cu, which has
// them, and for the process that launches them.
#pragma once

#include <cstdint>

namespace warpgrade::gpu {

// chain_: one thread (tensor: one warp) whose operations depend on each other; many_: warps that fill a
// multiprocessor.
#define WARPGRADE_PROBE_KERNELS(X) \
  X(chain_fp32)                    \
  X(chain_fp64)                    \
  X(chain_integer)                 \
  X(chain_special)                 \
  X(chain_tensor)                  \
  X(chain_shared)                  \
  X(chain_l1)                      \
  X(chain_l2)                      \
  X(many_fp32)                     \
  X(many_fp64)                     \
  X(many_integer)                  \
  X(many_special)                  \
  X(many_tensor)                   \
  X(many_issued)                   \
  X(many_shared)                   \
  X(read)                          \
  X(copy)                          \
  X(atomics)                       \
  X(barrier)                       \
  X(nothing)                       \
  X(link)

/// The kernel of each is "probe_" and its name.
enum class ProbeKernel : std::uint32_t {
#define WARPGRADE_PROBE_KERNEL(name) name,
  WARPGRADE_PROBE_KERNELS(WARPGRADE_PROBE_KERNEL)
#undef WARPGRADE_PROBE_KERNEL
};

/// What the first thread of the first block read from its clocks around the loop.
struct ProbeReading {
  std::int64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
  std::uint64_t at = 0;  ///< the address at which a chain of loads ended and goes on in the next launch
};

struct ProbeArguments {
  std::uint64_t from = 0, to = 0;  ///< device memory
  std::uint64_t bytes = 0;         ///< of each
  std::uint64_t reading = 0;       ///< address of a ProbeReading
  std::uint32_t steps = 0;         ///< of the loop that is timed
  std::uint32_t warm = 0;          ///< loads of a chain before it
  float one = 1;                   ///< so that no compiler knows it
};

constexpr std::uint64_t probe_line =
    128;  ///< bytes from one load of a chain to the next, before they are shuffled

}  // namespace warpgrade::gpu
