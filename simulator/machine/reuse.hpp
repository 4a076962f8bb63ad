// When warps load the same data of global memory. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counters/path.hpp"

namespace warpgrade::simt {

/// How soon a warp loads the same sectors again, by line of the PTX.
class ReuseRecorder {
 public:
  /// A request of the warp that loads `bytes` at the address of each lane in `mask`.
  void load(std::int32_t line, const std::uint64_t (&addresses)[32], std::uint32_t mask, std::uint32_t bytes);
  /// Whether this line has not loaded anything yet.
  bool is_new(std::int32_t line) const { return !numbers_.contains(line); }
  /// Sets what a line loads from.
  void name(std::int32_t line, std::string buffer) { loads_[numbers_.at(line)].buffer = std::move(buffer); }
  std::vector<LineLoads> take() { return loads_; }

 private:
  static constexpr std::size_t most = 1 << 18;  ///< sectors that are tracked; later ones are ignored
  /// Sectors that are loaded again sooner do not increase the distance of others.
  static constexpr std::uint64_t soon = 32;
  /// The distance of a sector: the index in Reuse::again, or `first`.
  std::size_t distance(std::uint64_t sector);
  static constexpr std::size_t first = std::tuple_size_v<decltype(Reuse::again)>;
  static void add(Reuse &, std::size_t distance);

  std::vector<LineLoads> loads_;
  std::unordered_map<std::int32_t, std::size_t> numbers_;  ///< in loads_, by line
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
  static constexpr std::size_t most = 1 << 18;  ///< first accesses; later ones are ignored
  struct OfWarp {
    std::uint64_t loads = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> first;  ///< by line: the number of loads before
  };
  std::vector<OfWarp> warps_;
  std::size_t count_ = 0;
};

}  // namespace warpgrade::simt
