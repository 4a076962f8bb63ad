// The player of a recording as a part of a page. Internal to report.
#pragma once

#include <cstddef>
#include <string>

#include "report/debug.hpp"
#include "report/html_page.hpp"

namespace warpgrade::report {

inline constexpr std::size_t most_recorded_bytes = 1'600'000;  ///< of all recordings of a page
/// What the player's script reads: the last events that fit. first: how many are left out
Json debug_data(const DebugView &, std::size_t most_bytes, std::size_t &first);
inline constexpr std::size_t most_listed_events = 200;  ///< of the table that is there without a script
/// Markup; its script finds the data as data.debug[key].
std::string debug_player(const DebugView &, const std::string &key, std::size_t first,
                         std::size_t most_rows = most_listed_events);

}  // namespace warpgrade::report
