// The products of a block's warpgroups (wgmma.mma_async): which are in flight, what they read of shared memory, and
// which warps know that they have completed. Internal to simt.
//
// A product is computed when a warp issues it, and is in flight until the warp has waited for its group. Until then,
// the shared memory that it reads must not change. Warps continue after a wait once all four have issued the awaited
// products, because they read the same memory. A warp knows that a product has completed if it has waited for it, or
// has acquired this at an mbarrier or a barrier from a warp that knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "decode/program.hpp"

namespace warpgrade::simt {

struct Warp;
struct Group;

constexpr std::uint32_t warps_of_group = 4, most_warpgroups = 8;
constexpr std::uint32_t bytes_of_piece = 16;  ///< of shared memory, the unit in which products read it

/// 16 bytes of shared memory that a product reads, and their writers when it was issued.
struct ProductSource {
  std::uint32_t offset = 0;
  std::uint64_t writers = 0;  ///< a sum of their cells
};

struct FlyingProduct {
  const Op *op = nullptr;
  std::uint32_t sequence = 0;  ///< the first product of a warp has 1
  std::uint32_t group = 0;
  bool committed = false;
  std::uint32_t time = 0;  ///< when it was issued
  bool verified = false;   ///< a warp of the warpgroup has waited for it
  std::vector<ProductSource> sources;
};

/// What one warp has issued.
struct WarpProducts {
  std::vector<FlyingProduct> flying;
  std::uint32_t issued = 0, finished = 0;  ///< sequences
  std::uint32_t groups = 0;                ///< committed so far
};

class GroupProducts {
 public:
  explicit GroupProducts(const Program &program) : program_(program) {}
  /// A block begins. follows_reads: mbarriers and barriers are its only way to release shared memory
  void begin(std::size_t warps, std::size_t shared_bytes, bool follows_reads);
  bool empty() const { return warps_.empty(); }  ///< the kernel has no wgmma
  const WarpProducts &of(std::uint32_t warp) const { return warps_[warp]; }

  FlyingProduct &issue(std::uint32_t warp, const Op &, std::uint32_t time);
  void commit(std::uint32_t warp);
  /// The warp has waited for all but the last `pending` groups. Calls completed(FlyingProduct &) for their products in
  /// flight, of all four warps: they multiply as one.
  template <class Completed>
  void finish(std::uint32_t warp, std::uint64_t pending, const Completed &completed);
  /// Whether all warps of the warpgroup have issued the products that the lanes wait for at the end of the block.
  bool may_continue(const Warp &, const Block &, const Group &) const;
  /// How many of the four warps have issued as many products as this one.
  std::uint32_t equally_far(std::uint32_t warp) const;

  /// The warp arrives at a barrier, or continues after one. place: offset of the mbarrier, or id of the barrier
  void release(std::uint32_t warp, std::uint32_t place);
  void acquire(std::uint32_t warp, std::uint32_t place);
  void note_read(std::uint32_t warp, std::uint32_t offset, std::uint32_t sequence);
  bool follows_reads() const { return !empty() && follows_reads_; }
  struct Reader {
    std::uint32_t warpgroup = 0;
    const Op *product = nullptr;  ///< null: there is none
  };
  /// A product that reads the 16 bytes and of which the warp does not know that it has completed.
  Reader unfinished_reader(std::uint32_t warp, std::uint64_t offset) const;

 private:
  using LastCompleted = std::array<std::uint32_t, most_warpgroups>;  // sequences, by warpgroup
  static void join(LastCompleted &to, const LastCompleted &from);
  /// The last product that has completed once no more than `pending` groups are in flight.
  static std::uint32_t last_awaited(const WarpProducts &, std::uint64_t pending);
  std::uint32_t end_of_group(std::uint32_t first) const {
    return std::min(first + warps_of_group, static_cast<std::uint32_t>(warps_.size()));
  }

  const Program &program_;
  std::vector<WarpProducts> warps_;
  bool follows_reads_ = false;
  std::vector<LastCompleted> known_;                             // by warp
  std::map<std::uint32_t, LastCompleted> released_;              // by place
  std::vector<LastCompleted> readers_;                           // by piece of shared memory
  std::array<std::vector<const Op *>, most_warpgroups> issued_;  // by sequence - 1
};

template <class Completed>
void GroupProducts::finish(std::uint32_t warp, std::uint64_t pending, const Completed &completed) {
  WarpProducts &own = warps_[warp];
  own.finished = last_awaited(own, pending);
  const std::uint32_t group = warp / warps_of_group, first = group * warps_of_group;
  known_[warp][group] = own.finished;
  for (std::uint32_t other = first; other < first + warps_of_group; ++other)
    for (FlyingProduct &one : warps_[other].flying)
      if (one.sequence <= own.finished) completed(one);
  std::erase_if(own.flying, [&own](const FlyingProduct &one) { return one.sequence <= own.finished; });
}

}  // namespace warpgrade::simt
