// What a prediction needs of a few blocks besides their counters: the path of a warp through the code, and
// the memory that the blocks share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "counters/counters.hpp"

namespace warpgrade::simt {

/// A basic block: the lines of its first and last instruction in the PTX text.
struct PathBlock {
  std::int32_t first_line = 0, last_line = 0;
  bool operator==(const PathBlock &) const = default;
};

/// What a warp loads from global memory, counted by how many other sectors it has loaded since the previous
/// load of the sector; or as a first load.
struct Reuse {
  std::uint64_t first = 0;
  std::array<std::uint64_t, 24> again{};  ///< [i]: less than 2^i, at least 2^(i-1); the last one: any number
  Reuse &operator+=(const Reuse &);
  bool operator==(const Reuse &) const = default;
};

/// The loads from global memory of one line of the PTX, as warp 0 of a block made them.
struct LineLoads {
  std::int32_t line = 0;    ///< of the PTX text
  std::uint32_t bytes = 0;  ///< accessed by each lane
  std::string buffer;       ///< allocation of the first request, empty if unknown
  Reuse sectors;            ///< each request's sectors of 32 bytes
  Reuse requests;           ///< each counts as its least recently loaded sector
  std::uint64_t lines = 0;  ///< of 128 bytes, accessed by the requests
  bool operator==(const LineLoads &) const = default;
};

/// A warp's first load from a line of 128 bytes of global memory: of a fixed sixteenth of all
/// lines, the one that its first lane loads from.
struct FirstTouch {
  std::uint64_t line = 0;  ///< address / 128
  float when = 0;          ///< share of the warp's loads that came before
  bool operator==(const FirstTouch &) const = default;
};

/// The basic blocks that a warp executed, in order. Diverged groups of lanes appear one after the other.
struct Path {
  static constexpr std::size_t most = 1 << 16;  ///< later steps are dropped
  std::vector<PathBlock> blocks;
  std::vector<std::uint32_t> steps;  ///< indices in `blocks`
  bool cut = false;                  ///< there was more
  std::vector<LineLoads> loads;      ///< of the path, by line
  Reuse reuse() const;               ///< the sectors of all these
  bool operator==(const Path &) const = default;
};

/// The sectors of global memory that blocks accessed, by buffer.
class TouchedSectors;

/// The number of sectors that these launches accessed together, by the name of the buffer.
std::map<std::string, UniqueSectors> count_together(
    std::span<const std::shared_ptr<const TouchedSectors>> launches);

}  // namespace warpgrade::simt
