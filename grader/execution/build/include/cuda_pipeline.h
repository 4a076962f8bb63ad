// Copies from global to shared memory in the background: the pipeline primitives. Needs compute_80.
#pragma once

#include "cuda_runtime.h"

/// Begins to copy 4, 8 or 16 bytes; of these the last `zeros` become 0 instead.
WARPGRADE_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const size_t source = __cvta_generic_to_global(from);
  const auto used = static_cast<unsigned>(bytes - zeros);
  if (bytes == 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(used) : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(used) : "memory");
  } else if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(used)
                 : "memory");
  } else {
    __trap();
  }
}
WARPGRADE_DEVICE void __pipeline_commit() {
  __asm__ volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until all but the last `groups` groups that were committed have arrived.
#define WARPGRADE_WAIT(n)                                     \
  case n:                                                     \
    asm volatile("cp.async.wait_group " #n ";" ::: "memory"); \
    break;
WARPGRADE_DEVICE void __pipeline_wait_prior(size_t groups) {
  switch (groups) {
    WARPGRADE_WAIT(1)
    WARPGRADE_WAIT(2)
    WARPGRADE_WAIT(3)
    WARPGRADE_WAIT(4)
    WARPGRADE_WAIT(5)
    WARPGRADE_WAIT(6)
    WARPGRADE_WAIT(7)
    default:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
}
#undef WARPGRADE_WAIT
