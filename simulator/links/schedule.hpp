// When operations would run on devices that are connected so: a prediction with simple rules, which docs/several-gpus.md
// states. Also what each link carries, which is counted, not predicted.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "links/operation.hpp"
#include "links/topology.hpp"

namespace warpgrade::links {

struct Span {
  double begin = 0, end = 0;  ///< microseconds
  double length() const { return end - begin; }
};

/// A transfer on its way.
struct Passage {
  std::size_t operation = 0;
  Transfer transfer;
  Span span;
};

struct Load {
  std::uint64_t bytes = 0, messages = 0;
  double busy_us = 0;
  Load &operator+=(const Load &);
};

struct Schedule {
  std::vector<Span> operations;   ///< as given; of a kernel without waiting for its transfers
  std::vector<Passage> passages;  ///< between devices, and with the host
  std::vector<Load> of_link;      ///< as Topology::links
  std::map<std::pair<int, int>, Load> of_pair;
  double total_us = 0;
  double communication_us = 0;  ///< during which data moves between devices
  double overlapped_us = 0;     ///< of that, while some kernel computes
  double beside_us = 0;  ///< of that, while a kernel computes that moves nothing between devices itself
  /// 1 where there is no communication.
  double overlap() const { return communication_us == 0 ? 1 : overlapped_us / communication_us; }
  std::vector<Span> beside;  ///< during which such a kernel computes; sorted, without overlaps
  std::vector<double>
      busy_us;  ///< by device: while it computes or copies, or data is on its way from or to it
  /// The share of the predicted time in which a device does none of that.
  double idle(std::size_t device) const { return total_us == 0 ? 0 : 1 - busy_us.at(device) / total_us; }
  /// How much of a span is outside `beside`.
  double alone_us(const Span &) const;
  /// Of the links of the topology, the one with the most bytes between devices; -1 if there are none.
  int busiest = -1;
  std::uint64_t busiest_bytes = 0;  ///< these
};

Schedule plan(const Topology &, const std::vector<Operation> &);

}  // namespace warpgrade::links
