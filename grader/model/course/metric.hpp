// The quantities that counter thresholds limit. Each is one row of the table in metric.cpp: its name in YAML
// and JSON, its words, how it is computed from the counters, its ideal, and how much a source line adds to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/counters.hpp"
#include "run/link_counts.hpp"

namespace warpgrade::course {

/// Counters of all launches of a step at one size, and how many results each thread had to compute there.
struct Counted {
  simt::Counters counts;
  double outputs_per_thread = 0;              ///< see outputs_per_thread() in judge/rules.hpp
  double useful_flops = 0;                    ///< as the problem needs; 0: no arithmetic, or unknown
  std::optional<run::LinkCounts> links = {};  ///< of a step on several devices
  bool operator==(const Counted &) const = default;
};

/// In the order of the table.
enum class Measure : std::uint8_t {
  sectors_per_load,
  sectors_per_store,
  load_sectors_over_ideal,
  store_sectors_over_ideal,
  global_requests,
  requested_bytes_per_flop,
  sector_bytes_per_flop,
  wavefronts_over_ideal,
  bank_conflicts,
  outputs_per_thread,
  lane_efficiency,
  local_accesses,
  global_atomics,
  divergent_branches,
  shared_stores,
  tensor_share,
  busiest_link_bytes,
  overlap,
  idle_share,
};

struct Metric {
  Measure measure;
  std::string_view name;   ///< in YAML and JSON: "sectors_per_load"
  std::string_view words;  ///< in reports: "sectors per global load"
  /// None if there is nothing to measure: a kernel without stores has no sectors per store.
  std::optional<double> (*value)(const Counted &);
  /// The best value that the same requests could reach. None if it is a matter of design.
  std::optional<double> (*ideal)(const Counted &);
  /// How much a line adds to what a threshold counts against it, beyond the ideal if there is one.
  std::uint64_t (*cost)(const simt::LineCounters &);
  /// The same of a line that moves data between devices, where that is what the threshold is about.
  double (*link_cost)(const run::LinkCounts::Line &) = nullptr;
};

/// The table, in the order of Measure.
std::span<const Metric> metrics();
const Metric &metric(Measure);

std::string_view name_of(Measure);
std::optional<Measure> measure_of(std::string_view name);
std::vector<std::string> measure_names();

}  // namespace warpgrade::course
