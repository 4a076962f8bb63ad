// A recording as people go through it: events in columns for a terminal, one self-contained page for a
// browser. Takes a playback; decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "explain/playback.hpp"
#include "problem/terms.hpp"
#include "report/report.hpp"

namespace warpgrade::report {

struct DebugView {
  const explain::Playback &playback;
  std::string title;                      ///< "step2 at m=n=k=33"
  std::string file;                       ///< of the source, as lines of the recording name it
  std::string source;                     ///< untrusted
  const problem::Terms *terms = nullptr;  ///< what the first wrong element is made of; null: not known
};

/// Which events a terminal shows.
struct DebugChoice {
  std::optional<std::uint64_t> at;  ///< the number of an event
  std::optional<std::uint32_t> lane;
  std::string element;
  int line = 0;
  std::size_t most = 20;
};

/// The last events up to the one that matters, or up to the chosen one, which is then shown lane by lane.
std::string debug_to_terminal(const DebugView &, const DebugChoice &, const Style &);

/// The page. Everything from a submission is escaped, and the page's policy prevents it from running scripts
/// or loading anything. It has at most 2 MiB; earlier events are left out, and the page says so.
std::string debug_to_html(const DebugView &);

}  // namespace warpgrade::report
