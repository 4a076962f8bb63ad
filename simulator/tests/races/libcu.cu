// The same through cuda::atomic_ref and cuda::atomic: orders and scopes are written out.
#include <cuda/atomic>

#include "labels.cuh"

using Device = cuda::atomic_ref<int, cuda::thread_scope_device>;
using System = cuda::atomic_ref<int, cuda::thread_scope_system>;
using Block = cuda::atomic_ref<int, cuda::thread_scope_block>;
namespace order = cuda::std;

#define PASS(label, name, Ref, raise, look, between) \
  label(2, 32, libcu_##name) {                       \
    if (threadIdx.x != 0) return;                    \
    Ref flag(b[0]);                                  \
    if (blockIdx.x == 0) {                           \
      a[0] = 42;                                     \
      flag.store(1, order::raise);                   \
    } else {                                         \
      while (flag.load(order::look) == 0) {          \
      }                                              \
      between;                                       \
      c[0] = a[0];                                   \
    }                                                \
  }
PASS(RIGHT, release_acquire, Device, memory_order_release, memory_order_acquire, )
PASS(RIGHT, system_release_acquire, System, memory_order_release, memory_order_acquire, )
PASS(RIGHT, sequential, Device, memory_order_seq_cst, memory_order_seq_cst, )
PASS(RIGHT, relaxed_then_fence, Device, memory_order_release, memory_order_relaxed,
     cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device))
PASS(RACY, release_without_acquire, Device, memory_order_release, memory_order_relaxed, )
PASS(RACY, acquire_without_release, Device, memory_order_relaxed, memory_order_acquire, )
PASS(RACY, relaxed, Device, memory_order_relaxed, memory_order_relaxed, )
PASS(RACY, block_scope, Block, memory_order_release, memory_order_acquire, )
PASS(RACY, fence_of_block_scope, Device, memory_order_release, memory_order_relaxed,
     cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_block))

RIGHT(4, 32, libcu_add) {
  Device(a[0]).fetch_add(1, order::memory_order_relaxed);
}
RACY(4, 32, libcu_add_block_scope) {
  Block(a[0]).fetch_add(1, order::memory_order_relaxed);
}
RACY(4, 32, libcu_add_beside_plain) {
  Device(a[0]).fetch_add(1, order::memory_order_relaxed);
  c[thread_in_grid()] = a[0];
}
RIGHT(4, 32, libcu_add_beside_load) {
  Device word(a[0]);
  word.fetch_add(1, order::memory_order_relaxed);
  c[thread_in_grid()] = word.load(order::memory_order_relaxed);
}
RIGHT(4, 32, libcu_ticket) {
  if (threadIdx.x != 0) return;
  a[blockIdx.x] = 1;
  if (Device(b[0]).fetch_add(1, order::memory_order_acq_rel) != 3) return;
  for (int i = 0; i < 4; ++i) c[i] = a[i];
}
RACY(4, 32, libcu_ticket_relaxed) {
  if (threadIdx.x != 0) return;
  a[blockIdx.x] = 1;
  if (Device(b[0]).fetch_add(1, order::memory_order_relaxed) != 3) return;
  for (int i = 0; i < 4; ++i) c[i] = a[i];
}
__device__ cuda::atomic<int, cuda::thread_scope_device> shared_by_all;
__device__ cuda::atomic<int, cuda::thread_scope_block> shared_by_a_block;
RIGHT(4, 32, libcu_variable) {
  shared_by_all.fetch_add(1);
}
RACY(4, 32, libcu_variable_of_block_scope) {
  shared_by_a_block.fetch_add(1);
}
