// How devices and the host are connected: a YAML file, of which some come with the simulator (topologies/).
//
//     name: eight H100 SXM behind NVSwitch
//     source: where the figures come from
//     device: {memory_gb_per_s: 3350, warp_instructions_per_ns: 900, launch_us: 2}
//     links:
//       - {from: device, to: switch, gb_per_s: 450, latency_us: 0.5}
//
// A place is a device by its number, `device` for each of them, `host`, or the name of a switch. A link has both
// directions, each with all of the bandwidth, unless it says `one_way: true`. Data goes the way with the fewest links, and
// of those the widest; it passes through switches, not through devices or the host.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "links/operation.hpp"

namespace warpgrade::links {

/// A file is wrong: "FILE:LINE: what, and what is expected".
class TopologyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One direction of a link.
struct Link {
  std::string from, to;  ///< "0", "host", "switch"
  double gb_per_s = 0;   ///< 10^9 bytes
  double latency_us = 0;
  std::string name() const { return from + " -> " + to; }
  bool operator==(const Link &) const = default;
};

struct Topology {
  std::string id;  ///< "nvlink4", or the file
  std::string name, source;
  int devices = 1;
  double memory_gb_per_s = 0, warp_instructions_per_ns = 0, launch_us = 0;  ///< of a device
  std::vector<Link> links;
  /// The links that data passes, by their places in `links`; empty where there is no way, or if the two are one.
  std::vector<std::size_t> route(int from, int to) const;
};

/// The names of the topologies that come with the simulator.
std::vector<std::string> known_topologies();
/// For so many devices; `id_or_file`: one of these names, or a file. throws TopologyError
Topology read_topology(const std::string &id_or_file, int devices);
/// `file`: for messages
Topology parse_topology(const std::string &text, const std::string &file, int devices);

}  // namespace warpgrade::links
