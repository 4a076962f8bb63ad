// Fences of the proxies of memory (fence.proxy.async), of one block: which ordinary accesses come before those of the
// async proxy, through which bulk copies and wgmma access memory. Internal to simt.
//
// The shadow words of the race checks say who used a word last, and when; fences leave only their times here. A copy asks
// before it enters its own shadow words (proxies.cpp): of each word that it touches and that an ordinary access used before
// it, by an order that the race checks know, whether a fence lies between the two. Words of global memory are looked up in
// the block's own shadow. Those in another block of the cluster are looked up in the shadow of that block, among its own
// accesses, and so are the fences: its threads', or any of another block's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::simt {

class ProxyFences {
 public:
  enum class Space : std::uint8_t { shared, global };
  /// What is missing without the fence; each kind is reported by itself.
  enum class Missing : std::uint8_t {
    store_unseen,
    copy_unseen,
    overwritten,
    overwritten_in_global,
    overwritten_in_cluster
  };
  static constexpr std::size_t kinds = 5;
  /// A block begins.
  void begin(std::size_t threads);
  /// Lanes of a warp execute a fence. spaces: bits of ProxySpace. known: for each warp, the time before which what it has
  /// done comes before the fence
  void fence(std::uint32_t warp, std::uint32_t lanes, std::uint32_t spaces, std::uint32_t time,
             const std::vector<std::uint32_t> &known);
  /// Whether a fence orders the access of a shadow word before what the warp does now. It counts if the thread of that
  /// access executes it afterwards, a thread that knows of the access, or one of the warp that reads or writes now.
  bool is_fenced(Space, std::uint64_t access, std::uint32_t warp) const;
  /// The time of the last fence of any thread; 0: none.
  std::uint32_t latest(Space space) const { return (space == Space::shared ? shared_ : global_).latest; }
  /// False if a missing fence of one of these lines was reported before: an unrolled loop lacks one fence, not eight.
  bool is_first_report(Missing, const SourceLine &before, const SourceLine &now);

 private:
  struct Fences {
    std::vector<std::uint32_t> of_thread;  ///< the time of its last fence
    std::vector<std::uint32_t>
        known;                 ///< by warp: the latest time before which a fence has covered what it did
    std::uint32_t latest = 0;  ///< the time of the last fence
  };
  Fences &in(Space space) { return space == Space::shared ? shared_ : global_; }
  Fences shared_, global_;
  std::array<std::vector<SourceLine>, kinds> reported_;
};

}  // namespace warpgrade::simt
