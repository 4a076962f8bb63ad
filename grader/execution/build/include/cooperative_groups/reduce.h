// reduce() of cooperative groups, and the operations that it and the scans take.
#pragma once

#include <cooperative_groups.h>

#if defined(__CUDA__)
namespace cooperative_groups {

#define WARPGRADE_OPERATION(name, result)                            \
  template <class T>                                                 \
  struct name {                                                      \
    WARPGRADE_MEMBER T operator()(T a, T b) const { return result; } \
  };
WARPGRADE_OPERATION(plus, a + b)
WARPGRADE_OPERATION(less, b < a ? b : a)
WARPGRADE_OPERATION(greater, a < b ? b : a)
WARPGRADE_OPERATION(bit_and, a &b)
WARPGRADE_OPERATION(bit_or, a | b)
WARPGRADE_OPERATION(bit_xor, a ^ b)
#undef WARPGRADE_OPERATION

template <unsigned threads, class Parent, class T, class Operation>
WARPGRADE_DEVICE T reduce(const thread_block_tile<threads, Parent> &tile, T value, Operation &&operation) {
  for (unsigned apart = threads / 2; apart > 0; apart /= 2)
    value = operation(value, tile.shfl_xor(value, apart));
  return value;
}
template <class T, class Operation>
WARPGRADE_DEVICE T reduce(const coalesced_group &group, T value, Operation &&operation) {
  T all = group.shfl(value, 0);
  for (unsigned i = 1; i < group.size(); ++i) all = operation(all, group.shfl(value, i));
  return all;
}

}  // namespace cooperative_groups
#endif
