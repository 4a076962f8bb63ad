#include <algorithm>
#include <array>

#include "course/assignment.hpp"

namespace warpgrade::course {

namespace {

constexpr std::array names = {std::pair{Measure::sectors_per_load, "sectors_per_load"},
                              std::pair{Measure::sectors_per_store, "sectors_per_store"},
                              std::pair{Measure::load_sectors_over_ideal, "load_sectors_over_ideal"},
                              std::pair{Measure::store_sectors_over_ideal, "store_sectors_over_ideal"},
                              std::pair{Measure::global_requests, "global_requests"},
                              std::pair{Measure::requested_bytes_per_flop, "requested_bytes_per_flop"},
                              std::pair{Measure::sector_bytes_per_flop, "sector_bytes_per_flop"},
                              std::pair{Measure::wavefronts_over_ideal, "wavefronts_over_ideal"},
                              std::pair{Measure::bank_conflicts, "bank_conflicts"},
                              std::pair{Measure::outputs_per_thread, "outputs_per_thread"},
                              std::pair{Measure::lane_efficiency, "lane_efficiency"},
                              std::pair{Measure::local_accesses, "local_accesses"},
                              std::pair{Measure::global_atomics, "global_atomics"},
                              std::pair{Measure::divergent_branches, "divergent_branches"}};

}  // namespace

std::string_view name_of(Measure m) {
  return std::find_if(names.begin(), names.end(), [&](const auto &n) { return n.first == m; })->second;
}

std::optional<Measure> measure_of(std::string_view name) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto &n) { return n.second == name; });
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

std::vector<std::string> measure_names() {
  std::vector<std::string> all;
  for (const auto &[measure, name] : names) all.emplace_back(name);
  return all;
}

}  // namespace warpgrade::course
