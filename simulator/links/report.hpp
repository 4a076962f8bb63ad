// What was counted and predicted, in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "links/schedule.hpp"

namespace warpgrade::links {

/// The bytes of one line, or of one call, in one direction.
struct Row {
  ptx::SourceLine at;  ///< line 0: of no line
  std::string what;    ///< the kernel or call; of several, the first
  int from = host, to = host;
  Load load;
};
/// Most bytes first.
std::vector<Row> rows_of(const std::vector<Operation> &);
/// "0", "host"
std::string name_of_place(int place);

/// For people: links, the busiest, bytes by line, the prediction.
std::string report(const Topology &, const std::vector<Operation> &, const Schedule &);
/// The member `links` of `simt run --json`.
nlohmann::json report_json(const Topology &, const std::vector<Operation> &, const Schedule &);

}  // namespace warpgrade::links
