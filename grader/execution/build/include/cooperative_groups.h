// Cooperative groups as far as a block reaches: the block, tiles of a warp, threads that are together. Groups
// of more than a warp or of a whole grid wait with nvcc only.
#pragma once

#include <cuda_runtime.h>

#if defined(__CUDA__)
namespace cooperative_groups {

class thread_block {
 public:
  static WARPGRADE_MEMBER void sync() { __syncthreads(); }
  static WARPGRADE_MEMBER unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static WARPGRADE_MEMBER unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static WARPGRADE_MEMBER unsigned size() { return num_threads(); }
  static WARPGRADE_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WARPGRADE_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WARPGRADE_MEMBER dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WARPGRADE_MEMBER dim3 group_dim() { return dim_threads(); }
};
WARPGRADE_DEVICE thread_block this_thread_block() {
  return {};
}

class grid_group {
 public:
  __attribute__((unavailable(
      "a grid that waits is not there with the clang front end; nvcc has it"))) static WARPGRADE_MEMBER void
  sync() {}
  static WARPGRADE_MEMBER unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static WARPGRADE_MEMBER unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static WARPGRADE_MEMBER unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static WARPGRADE_MEMBER unsigned long long size() { return num_threads(); }
  static WARPGRADE_MEMBER unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static WARPGRADE_MEMBER dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WARPGRADE_MEMBER dim3 group_dim() { return dim_blocks(); }
  static WARPGRADE_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
WARPGRADE_DEVICE grid_group this_grid() {
  return {};
}

namespace warpgrade {
WARPGRADE_DEVICE unsigned lane() {
  return __nvvm_read_ptx_sreg_laneid();
}
/// The bits of `of` at the ones of `mask`, side by side from the lowest.
WARPGRADE_DEVICE unsigned packed(unsigned of, unsigned mask) {
  unsigned result = 0;
  for (unsigned i = 0; mask != 0; mask &= mask - 1, ++i) result |= (of >> (__ffs(mask) - 1) & 1) << i;
  return result;
}
}  // namespace warpgrade

/// Threads of one warp that were together when the group was made, in the order of their lanes.
class coalesced_group {
 public:
  WARPGRADE_MEMBER explicit coalesced_group(unsigned lanes) : lanes_(lanes) {}
  WARPGRADE_MEMBER void sync() const { __syncwarp(lanes_); }
  WARPGRADE_MEMBER unsigned num_threads() const { return __popc(lanes_); }
  WARPGRADE_MEMBER unsigned size() const { return num_threads(); }
  WARPGRADE_MEMBER unsigned thread_rank() const { return __popc(lanes_ & ((1u << warpgrade::lane()) - 1)); }
  template <class T>
  WARPGRADE_MEMBER T shfl(T value, unsigned rank) const {
    return __shfl_sync(lanes_, value, lane_of(rank));
  }
  /// Of the thread so many ranks above or below; one's own where there is none.
  template <class T>
  WARPGRADE_MEMBER T shfl_down(T value, unsigned ranks) const {
    const unsigned from = thread_rank() + ranks;
    return __shfl_sync(lanes_, value, lane_of(from < size() ? from : thread_rank()));
  }
  template <class T>
  WARPGRADE_MEMBER T shfl_up(T value, unsigned ranks) const {
    const unsigned mine = thread_rank();
    return __shfl_sync(lanes_, value, lane_of(mine >= ranks ? mine - ranks : mine));
  }
  WARPGRADE_MEMBER int any(int predicate) const { return __ballot_sync(lanes_, predicate) != 0; }
  WARPGRADE_MEMBER int all(int predicate) const { return __ballot_sync(lanes_, predicate) == lanes_; }
  WARPGRADE_MEMBER unsigned ballot(int predicate) const {
    return warpgrade::packed(__ballot_sync(lanes_, predicate), lanes_);
  }
  template <class T>
  WARPGRADE_MEMBER unsigned match_any(T value) const {
    return warpgrade::packed(__match_any_sync(lanes_, value), lanes_);
  }
  template <class T>
  WARPGRADE_MEMBER unsigned match_all(T value, int &predicate) const {
    return warpgrade::packed(__match_all_sync(lanes_, value, &predicate), lanes_);
  }
  WARPGRADE_MEMBER unsigned warpgrade_lanes() const { return lanes_; }

 private:
  WARPGRADE_MEMBER int lane_of(unsigned rank) const {
    unsigned rest = lanes_;
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs(rest) - 1;
  }
  unsigned lanes_;
};
WARPGRADE_DEVICE coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// Neighbours in a warp: a power of two of them.
template <unsigned threads, class Parent = void>
class thread_block_tile {
  static_assert(threads != 0 && (threads & (threads - 1)) == 0, "a tile has a power of two of threads");
  static_assert(threads <= 32,
                "tiles of more than a warp are not there with the clang front end; nvcc has them");

 public:
  WARPGRADE_MEMBER void sync() const { __syncwarp(warpgrade_lanes()); }
  static WARPGRADE_MEMBER unsigned thread_rank() { return thread_block::thread_rank() % threads; }
  static WARPGRADE_MEMBER constexpr unsigned num_threads() { return threads; }
  static WARPGRADE_MEMBER constexpr unsigned size() { return threads; }
  static WARPGRADE_MEMBER unsigned meta_group_rank() { return thread_block::thread_rank() / threads; }
  static WARPGRADE_MEMBER unsigned meta_group_size() {
    return (thread_block::size() + threads - 1) / threads;
  }
  template <class T>
  WARPGRADE_MEMBER T shfl(T value, int rank) const {
    return __shfl_sync(warpgrade_lanes(), value, rank, threads);
  }
  template <class T>
  WARPGRADE_MEMBER T shfl_up(T value, unsigned ranks) const {
    return __shfl_up_sync(warpgrade_lanes(), value, ranks, threads);
  }
  template <class T>
  WARPGRADE_MEMBER T shfl_down(T value, unsigned ranks) const {
    return __shfl_down_sync(warpgrade_lanes(), value, ranks, threads);
  }
  template <class T>
  WARPGRADE_MEMBER T shfl_xor(T value, unsigned ranks) const {
    return __shfl_xor_sync(warpgrade_lanes(), value, ranks, threads);
  }
  WARPGRADE_MEMBER int any(int predicate) const { return ballot(predicate) != 0; }
  WARPGRADE_MEMBER int all(int predicate) const { return ballot(predicate) == mask; }
  WARPGRADE_MEMBER unsigned ballot(int predicate) const {
    return __ballot_sync(warpgrade_lanes(), predicate) >> first() & mask;
  }
  template <class T>
  WARPGRADE_MEMBER unsigned match_any(T value) const {
    return __match_any_sync(warpgrade_lanes(), value) >> first() & mask;
  }
  template <class T>
  WARPGRADE_MEMBER unsigned match_all(T value, int &predicate) const {
    return __match_all_sync(warpgrade_lanes(), value, &predicate) >> first() & mask;
  }
  WARPGRADE_MEMBER unsigned warpgrade_lanes() const { return mask << first(); }

 private:
  static constexpr unsigned mask = threads == 32 ? 0xffffffff : (1u << threads % 32) - 1;
  static WARPGRADE_MEMBER unsigned first() { return warpgrade::lane() & ~(threads - 1); }
};

template <unsigned threads, class Parent>
WARPGRADE_DEVICE thread_block_tile<threads, Parent> tiled_partition(const Parent &) {
  return {};
}
/// Those of the group that give the same label.
template <class Group, class Label>
WARPGRADE_DEVICE coalesced_group labeled_partition(const Group &group, Label label) {
  return coalesced_group(__match_any_sync(group.warpgrade_lanes(), label));
}
template <class Group>
WARPGRADE_DEVICE coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned yes = __ballot_sync(group.warpgrade_lanes(), predicate);
  return coalesced_group(predicate ? yes : group.warpgrade_lanes() & ~yes);
}

template <class Group>
WARPGRADE_DEVICE void sync(const Group &group) {
  group.sync();
}
template <class Group>
WARPGRADE_DEVICE unsigned thread_rank(const Group &group) {
  return group.thread_rank();
}
template <class Group>
WARPGRADE_DEVICE unsigned group_size(const Group &group) {
  return group.size();
}
/// Has one thread of the group, that of rank 0, call it.
template <class Group, class Call, class... Arguments>
WARPGRADE_DEVICE void invoke_one(const Group &group, Call &&call, Arguments &&...arguments) {
  if (group.thread_rank() == 0) call(static_cast<Arguments &&>(arguments)...);
}

}  // namespace cooperative_groups
#endif
