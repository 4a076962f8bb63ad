// inclusive_scan() and exclusive_scan() of cooperative groups.
#pragma once

#include <cooperative_groups/reduce.h>

#if defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T, class Operation>
WARPGRADE_DEVICE T inclusive_scan(const Group &group, T value, Operation &&operation) {
  const unsigned rank = group.thread_rank();
  for (unsigned apart = 1; apart < group.size(); apart *= 2) {
    const T below = group.shfl_up(value, apart);
    if (rank >= apart) value = operation(below, value);
  }
  return value;
}
template <class Group, class T>
WARPGRADE_DEVICE T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
/// The thread of rank 0 gets zero.
template <class Group, class T, class Operation>
WARPGRADE_DEVICE T exclusive_scan(const Group &group, T value, Operation &&operation) {
  const T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : below;
}
template <class Group, class T>
WARPGRADE_DEVICE T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif
