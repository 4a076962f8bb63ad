// When warps load the same data of global memory. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/path.hpp"

namespace warpgrade::simt {

/// How soon a warp loads the same sectors again.
class ReuseRecorder {
 public:
  /// A request of the warp that loads `bytes` at the address of each lane in `mask`.
  void load(const std::uint64_t (&addresses)[32], std::uint32_t mask, std::uint32_t bytes);
  Reuse take() { return reuse_; }

 private:
  static constexpr std::size_t most = 1 << 18;  ///< sectors that are looked up; what comes later is not seen
  /// Sectors that are loaded again sooner do not make the distance of others longer.
  static constexpr std::uint64_t soon = 32;
  void sector(std::uint64_t number);

  Reuse reuse_;
  std::uint64_t clock_ = 0;
  std::size_t looked_up_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> last_;  ///< by number of the sector: the clock then
};

/// When each warp of a block loads something for the first time.
class TouchRecorder {
 public:
  /// A load of this warp, whose first active lane reads here.
  void load(std::uint32_t warp, std::uint64_t address);
  std::vector<FirstTouch> take();

 private:
  static constexpr std::size_t most = 1 << 18;  ///< first touches; what comes later is not seen
  struct OfWarp {
    std::uint64_t loads = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> first;  ///< by line: the number of loads before
  };
  std::vector<OfWarp> warps_;
  std::size_t count_ = 0;
};

}  // namespace warpgrade::simt
