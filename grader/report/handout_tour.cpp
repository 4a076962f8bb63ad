#include "report/handout_tour.hpp"

#include <fmt/format.h>

#include "report/html_debug.hpp"

namespace warpgrade::report {
namespace {

constexpr std::size_t most_bytes_of_tour = 300'000, most_rows_on_paper = 14;

DebugView view_of(const std::string &name, const TourShown &t) {
  return {t.playback, name, t.file, t.source};
}

}  // namespace

std::string tour_in_markdown(const std::string &name, const TourShown &t, const std::string &language) {
  std::size_t first = 0;
  const DebugView view = view_of(name, t);
  debug_data(view, most_bytes_of_tour, first);
  return fmt::format("```{{=html}}\n<div class=\"tour\"{}>\n{}</div>\n```",
                     language == "en" ? "" : " lang=\"en\"",
                     debug_player(view, name, first, most_rows_on_paper));
}

std::string player_in_markdown(const HandoutFacts &facts) {
  Json data;
  for (const auto &[name, t] : facts.recordings) {
    std::size_t first = 0;
    data["debug"][name] = debug_data(view_of(name, t), most_bytes_of_tour, first);
    if (t.playback.marked >= t.playback.recording.events.size()) data["debug"][name]["marked"] = 0;
  }
  return fmt::format("\n```{{=html}}\n<style>\n{}\n</style>\n{}\n{}\n```\n", player_style(),
                     data_element(data), script_element(Script::debug));
}

std::string player_policy() {
  return "; script-src " + script_source(Script::debug);
}

}  // namespace warpgrade::report
