// The logical time of shadow words, which orders what is done in a block and in the blocks with which it takes turns.
// Internal to simt.
#pragma once

#include <cstdint>

#include "decode/context.hpp"

namespace warpgrade::simt {

class LogicalTime {
 public:
  /// time: shared with the blocks that take turns with this one
  LogicalTime(Context &context, std::uint32_t &time) : context_(context), time_(time) {}
  std::uint32_t now() const { return time_; }
  std::uint64_t cell() const { return context_.now_cell; }
  std::uint64_t epoch_cell() const { return context_.epoch_cell; }
  /// What the warp does from now on comes after what has been done.
  void advance() {
    ++time_;
    set_cell();
  }
  /// The shadow words of the warp that runs have this time from now on.
  void set_cell() { context_.now_cell = std::uint64_t{time_} << 32 | std::uint64_t{context_.warp} << 5; }
  /// When the block's last barrier was; now if races are not checked any more.
  std::uint32_t epoch() const {
    return context_.epoch_cell == UINT64_MAX ? time_ : static_cast<std::uint32_t>(context_.epoch_cell >> 32);
  }

 private:
  Context &context_;
  std::uint32_t &time_;
};

}  // namespace warpgrade::simt
