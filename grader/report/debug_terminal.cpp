#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/debug.hpp"
#include "report/terms.hpp"
#include "report/text.hpp"

namespace warpgrade::report {
namespace {

using Event = simt::RecordedEvent;

constexpr std::size_t most_place = 28;

std::string cut_to(const std::string &text, std::size_t width) {
  const std::string safe = for_terminal(text);
  if (columns_of(safe) <= width) return safe;
  return safe.substr(0, fitting(safe, width - 3)) + "...";
}

std::string block_in_words(const simt::Dim3 &block) {
  return fmt::format("({},{},{})", block.x, block.y, block.z);
}

class DebugTable {
 public:
  DebugTable(const DebugView &view, const DebugChoice &choice, const Style &style)
      : v_(view), choice_(choice), style_(style), r_(view.playback.recording) {}

  std::string text() {
    const std::vector<std::size_t> rows = chosen();
    head();
    if (rows.empty()) return out_ + "No event is like that.\n";
    columns(rows);
    if (choice_.at) lanes(r_.events[rows.back()]);
    return out_;
  }

 private:
  /// The numbers of the events to show.
  std::vector<std::size_t> chosen() const {
    const std::size_t count = r_.events.size();
    const std::size_t last = choice_.at
                                 ? std::min<std::size_t>(std::max<std::uint64_t>(*choice_.at, 1), count)
                             : v_.playback.marked < count ? v_.playback.marked + 1
                                                          : count;
    std::vector<std::size_t> rows;
    for (std::size_t i = last; i > 0 && rows.size() < choice_.most; --i) {
      const Event &e = r_.events[i - 1];
      const bool is_it = i - 1 == v_.playback.marked || (choice_.at && i == last);
      const bool detailed = r_.warps[e.warp].detailed;
      const bool fits = (!choice_.lane || (e.mask >> *choice_.lane & 1) != 0) &&
                        (choice_.line == 0 || r_.lines[e.line].line == choice_.line) &&
                        (choice_.element.empty() || explain::reaches(v_.playback, e, choice_.element));
      if (detailed && (fits || (is_it && choice_.element.empty() && choice_.line == 0)))
        rows.push_back(i - 1);
    }
    std::reverse(rows.begin(), rows.end());
    return rows;
  }

  void head() {
    std::string who;
    for (const simt::RecordedWarp &w : r_.warps)
      if (w.detailed)
        who +=
            fmt::format("{}warp {} of block {}", who.empty() ? "" : " and ", w.warp, block_in_words(w.block));
    for (const std::string &line :
         wrap(fmt::format("{}: {} of {}", for_terminal(v_.title), who, for_terminal(r_.kernel)),
              style_.columns))
      out_ += line + "\n";
    if (!v_.playback.summary.empty())
      for (const std::string &line : wrap(for_terminal(v_.playback.summary), style_.columns))
        out_ += line + "\n";
    why();
    std::uint64_t dropped = 0;
    for (const simt::RecordedWarp &w : r_.warps) dropped += w.detailed ? w.dropped : 0;
    out_ += fmt::format("{} events{}\n\n", r_.events.size(),
                        dropped == 0 ? "" : fmt::format("; {} earlier ones were not kept", dropped));
  }

  void why() {
    if (!v_.terms) return;
    for (const std::string &line : wrap(for_terminal(v_.terms->sentence), style_.columns))
      out_ += line + "\n";
    const std::string strip = terms_as_text(*v_.terms, std::clamp<std::size_t>(style_.columns, 40, 100) - 8);
    if (!strip.empty())
      out_ +=
          fmt::format("  {} {}\n  how often each is added; . is never, * another weight, ~ not all alike\n",
                      for_terminal(v_.terms->over), strip);
  }

  std::string place(const Event &e) const {
    const simt::SourceLine &at = r_.lines[e.line];
    return at.line == 0 ? "?" : cut_to(fmt::format("{}:{}", at.file, at.line), most_place);
  }

  void columns(const std::vector<std::size_t> &rows) {
    std::size_t wide_place = 4, wide_lanes = 5;
    for (const std::size_t i : rows) {
      wide_place = std::max(wide_place, place(r_.events[i]).size());
      wide_lanes =
          std::max(wide_lanes, std::min<std::size_t>(explain::lanes_in_words(r_.events[i].mask).size(), 12));
    }
    const bool blocks = std::any_of(r_.warps.begin(), r_.warps.end(), [&](const simt::RecordedWarp &w) {
      return w.detailed && !(w.block == r_.warps.front().block);
    });
    const std::size_t of_warp = blocks ? 13 : 4;
    out_ += fmt::format("{:>6} {:<{}} {:<{}} {:<{}} {}\n", "event", "warp", of_warp, "line", wide_place,
                        "lanes", wide_lanes, "what happened");
    const std::size_t before = 10 + of_warp + wide_place + wide_lanes;
    const std::size_t room = style_.columns > before + 20 ? style_.columns - before : 20;
    for (const std::size_t i : rows) {
      const Event &e = r_.events[i];
      const simt::RecordedWarp &w = r_.warps[e.warp];
      const std::string warp =
          blocks ? fmt::format("{} {}", block_in_words(w.block), w.warp) : std::to_string(w.warp);
      const std::string lanes =
          cut_to(choice_.lane ? std::to_string(*choice_.lane) : explain::lanes_in_words(e.mask), wide_lanes);
      const std::string what = cut_to(
          explain::in_words(v_.playback, e, e.kind == Event::Kind::finding ? std::nullopt : choice_.lane),
          room);
      std::string row = fmt::format("{:>6} {:<{}} {:<{}} {:<{}} {}", i + 1, warp, of_warp, place(e),
                                    wide_place, lanes, wide_lanes, what);
      if (i == v_.playback.marked) row = style_.color ? "\x1b[1;31m" + row + "\x1b[0m" : row + " <<<";
      out_ += row + "\n";
    }
  }

  void lanes(const Event &e) {
    out_ += "\n";
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((e.mask >> lane & 1) != 0)
        out_ += fmt::format("lane {:>2}  {}\n", lane,
                            cut_to(explain::in_words(v_.playback, e, lane), style_.columns - 9));
  }

  const DebugView &v_;
  const DebugChoice &choice_;
  const Style &style_;
  const simt::Recording &r_;
  std::string out_;
};

}  // namespace

std::string debug_to_terminal(const DebugView &view, const DebugChoice &choice, const Style &style) {
  return DebugTable(view, choice, style).text();
}

}  // namespace warpgrade::report
