// What a step on several devices moves between them, in words, as rows and as JSON. Internal to report.
#pragma once

#include <string>
#include <vector>

#include "report/json.hpp"
#include "run/link_counts.hpp"

namespace warpgrade::report {

/// The busiest link; the predicted time with its overlap; idle devices. One sentence each.
std::vector<std::string> link_sentences(const run::LinkCounts &);

/// A line of a kernel or of the launcher, or a call whose line is not known; untrusted texts.
struct LinkRow {
  std::string place;      ///< "m6_ring.cu:29"; empty: not known
  std::string what;       ///< "add", "copy"
  std::string direction;  ///< "0 -> 1", "host -> 0"
  std::string bytes, messages;
  std::string alone;  ///< "1.8 us"; empty: nothing, or with the host
};
/// Most bytes first.
std::vector<LinkRow> link_rows(const run::LinkCounts &, std::size_t most);

Json links_to_json(const run::LinkCounts &);

}  // namespace warpgrade::report
