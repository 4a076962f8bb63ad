// Saved by open calls of recursive functions: the registers that each call saved, by thread. Internal to
// simt.
#pragma once

#include <cstddef>
#include <vector>

#include "decode/context.hpp"

namespace warpgrade::simt {

class CallFrames {
 public:
  /// Costs nothing if no function is recursive.
  CallFrames(const FrameRows &rows, std::size_t threads) : rows_(rows) {
    if (rows.bytes() > 0) frames_.resize(threads);
  }
  void begin_block();
  /// Saves the lane's registers before a call, and gives the call its arrays. Returns nullptr, or why there is
  /// no room.
  const char *push(const Context &, std::uint32_t lane, std::uint32_t local_bytes);
  /// Restores them after the call.
  void pop(const Context &, std::uint32_t lane);
  /// The number of open calls of the lane.
  std::size_t depth(const Context &, std::uint32_t lane) const;

 private:
  std::size_t thread(const Context &context, std::uint32_t lane) const {
    return std::size_t{context.warp} * 32 + lane;
  }
  const FrameRows &rows_;
  std::vector<std::vector<std::byte>> frames_;
};

}  // namespace warpgrade::simt
