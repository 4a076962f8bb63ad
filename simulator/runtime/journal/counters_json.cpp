// A kernel's totals as JSON and back; counters that are zero are left out.
#include "counters/counters_json.hpp"

#include "runtime/journal/json.hpp"

namespace warpgrade::cuda {

using json::Json;

Json json_of(const KernelTotals &totals) {
  const simt::Counters &c = totals.counters;
  Json to = json::write<simt::LineCounters>(c);
  to["kernel"] = totals.kernel;
  to["launches"] = totals.launches;
  to["threads"] = totals.threads;
  to["barriers"] = c.barriers;
  to["unique_sectors"] = {{"loaded", c.unique_sectors.loaded},
                          {"stored", c.unique_sectors.stored},
                          {"touched", c.unique_sectors.touched}};
  to["lines"] = Json::array();
  for (const auto &[at, counters] : c.lines) {
    Json one = json::write(counters);
    one["file"] = at.file;
    one["line"] = at.line;
    to["lines"].push_back(std::move(one));
  }
  return to;
}

KernelTotals totals_of(const Json &from) {
  KernelTotals totals;
  totals.kernel = from.at("kernel").get<std::string>();
  totals.launches = json::read<std::uint64_t>(from.at("launches"));
  totals.threads = json::read<std::uint64_t>(from.at("threads"));
  totals.counters = json::read<simt::Counters>(from);
  return totals;
}

}  // namespace warpgrade::cuda
