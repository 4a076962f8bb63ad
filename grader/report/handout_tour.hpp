// Recordings in a handout: players in its page, lists on paper. Internal to report.
#pragma once

#include <string>

#include "report/handout.hpp"

namespace warpgrade::report {

/// The player of one recording, as raw HTML in Markdown.
std::string tour_in_markdown(const std::string &name, const TourShown &, const std::string &language);
/// What all players of a page need once: style, data, script.
std::string player_in_markdown(const HandoutFacts &);
/// The part of the page's policy that lets the script run: "; script-src 'sha256-...'".
std::string player_policy();

}  // namespace warpgrade::report
