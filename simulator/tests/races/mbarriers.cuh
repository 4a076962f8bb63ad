// What kernels with mbarriers share. For sm_90.
#pragma once

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "labels.cuh"

namespace ptx = cuda::ptx;
using Bar = std::uint64_t;
#define WARP (static_cast<int>(threadIdx.x) / 32)
#define LANE (static_cast<int>(threadIdx.x) % 32)

__device__ inline std::uint32_t at(const void *shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
__device__ inline bool is_over(Bar *bar, int parity) {
  return ptx::mbarrier_test_wait_parity(bar, static_cast<std::uint32_t>(parity));
}
__device__ inline void wait(Bar *bar, int parity) {
  while (!ptx::mbarrier_try_wait_parity(bar, static_cast<std::uint32_t>(parity))) {
  }
}
__device__ inline void wait_relaxed(Bar *bar, int parity) {
  std::uint32_t over = 0;
  while (over == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(at(bar)), "r"(parity)
        : "memory");
}
__device__ inline void arrive(Bar *bar) {
  ptx::mbarrier_arrive(bar);
}
__device__ inline void arrive_relaxed(Bar *bar) {
  asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(at(bar)) : "memory");
}
/// What the thread has read may be overwritten by a bulk copy.
__device__ inline void give_back(Bar *bar) {
  ptx::fence_proxy_async(ptx::space_shared);
  arrive(bar);
}
__device__ inline void fetch(void *to, const void *from, int bytes, Bar *bar) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, static_cast<std::uint32_t>(bytes), bar);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar,
                                 static_cast<std::uint32_t>(bytes));
}
#define BEGIN(bars, count)                                             \
  __shared__ alignas(8) Bar bar[bars];                                 \
  if (threadIdx.x == 0) {                                              \
    for (int i = 0; i < bars; ++i) ptx::mbarrier_init(&bar[i], count); \
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);    \
  }                                                                    \
  __syncthreads()
