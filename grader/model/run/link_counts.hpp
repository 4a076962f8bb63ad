// What a step on several devices moves between them: counted on the simulator; times are predicted from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::run {

/// A place is a device, or -1 for the host.
struct LinkCounts {
  std::string topology;  ///< "nvlink4"; see links/topology.hpp
  std::string
      busiest;  ///< of its links, the one with the most bytes between devices: "0 -> nvswitch"; empty: none
  std::uint64_t busiest_bytes = 0;
  struct Direction {
    int from = 0, to = 0;
    std::uint64_t bytes = 0, messages = 0;
    bool operator==(const Direction &) const = default;
  };
  std::vector<Direction> directions;  ///< in which something moves
  /// What is predicted, in microseconds: all of it; during which data moves between devices; and of that, during which
  /// a kernel computes that moves nothing between devices itself.
  double total_us = 0, communication_us = 0, overlapped_us = 0;
  std::vector<double>
      idle;  ///< by device: the share of total_us in which it neither computes nor has data on its way
  /// A line of a kernel that loads from or stores to another device, or a line of the launcher that copies.
  struct Line {
    std::string file;  ///< empty: not known
    int line = 0;
    std::string what;  ///< the kernel, or "copy"
    int from = 0, to = 0;
    std::uint64_t bytes = 0, messages = 0;
    std::uint64_t busiest_bytes = 0;  ///< those that pass the busiest link
    double alone_us = 0;              ///< on its way between devices while no such kernel computes
    bool operator==(const Line &) const = default;
  };
  std::vector<Line> lines;  ///< most bytes first
  bool operator==(const LinkCounts &) const = default;
};

}  // namespace warpgrade::run
