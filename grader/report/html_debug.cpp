// A recording as a page to step back and forth in, and the same as a part of a report.
#include "report/html_debug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "report/debug.hpp"
#include "report/highlight.hpp"
#include "report/terms.hpp"
#include "report/text.hpp"

namespace warpgrade::report {
namespace {

using Event = simt::RecordedEvent;

constexpr std::size_t most_listed_lines = 3000, longest_listed_line = 300, longest_words = 400;

/// A list whose numbers rise evenly as {a, d}; others as they are.
Json even(const std::vector<std::int64_t> &numbers) {
  if (numbers.size() > 2) {
    const std::int64_t step = numbers[1] - numbers[0];
    bool all = true;
    for (std::size_t i = 1; all && i < numbers.size(); ++i) all = numbers[i] - numbers[i - 1] == step;
    if (all) return {{"a", numbers[0]}, {"d", step}};
  }
  return numbers;
}

/// Values as words; one where all are alike.
Json values_of(const explain::Playback &p, const Event &e, const std::vector<std::uint64_t> &values) {
  std::vector<std::string> words;
  const std::size_t lanes = e.elements == 0 ? 0 : values.size() / e.elements;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const bool real = !e.objects.empty() && p.shapes[e.objects[e.objects.size() == 1 ? 0 : lane]].real;
    for (std::size_t i = 0; i < e.elements; ++i)
      words.push_back(explain::value_in_words(values[lane * e.elements + i], e.type, e.bytes, real));
  }
  if (words.size() > 1 &&
      std::all_of(words.begin(), words.end(), [&](const auto &w) { return w == words[0]; }))
    words.resize(1);
  return words;
}

std::string short_text(const std::string &text) {
  const std::string safe = for_json(text);
  return safe.size() <= longest_words ? safe : safe.substr(0, fitting(safe, longest_words)) + " \u2026";
}

Json event_json(const explain::Playback &p, const Event &e) {
  Json to = {{"k", simt::name_of(e.kind)}, {"w", e.warp}, {"l", e.line}, {"m", e.mask}};
  to["s"] = short_text(explain::in_words(p, e));
  if (e.kind == Event::Kind::branch) to["t"] = e.taken;
  if (!e.offsets.empty()) {
    to["j"] = e.objects;
    to["o"] = even(e.offsets);
    if (e.bytes != 4) to["b"] = e.bytes;
  }
  if (e.elements > 1) to["n"] = e.elements;
  if (!e.values.empty()) to["v"] = values_of(p, e, e.values);
  if (!e.before.empty()) to["f"] = values_of(p, e, e.before);
  if (!e.from.empty()) to["x"] = e.from;
  return to;
}

std::string block_name(const simt::Dim3 &b) {
  return fmt::format("({}, {}, {})", b.x, b.y, b.z);
}

Json objects_json(const explain::Playback &p) {
  Json all = Json::array();
  for (std::size_t i = 0; i < p.shapes.size(); ++i) {
    const explain::Shape &s = p.shapes[i];
    const simt::RecordedObject &o = p.recording.objects[i];
    all.push_back({{"name", for_json(o.name.empty() ? "?" : o.name)},
                   {"space", o.space == ptx::Space::shared  ? "shared"
                             : o.space == ptx::Space::local ? "local"
                                                            : "global"},
                   {"bytes", o.bytes},
                   {"size", s.element_bytes},
                   {"rows", s.rows},
                   {"cols", s.cols},
                   {"pitch", s.pitch},
                   {"byColumns", s.by_columns}});
  }
  return all;
}

}  // namespace

/// The last events that fit; `first` is the number of those that are left out.
Json debug_data(const DebugView &view, std::size_t most_bytes, std::size_t &first) {
  const explain::Playback &p = view.playback;
  const simt::Recording &r = p.recording;
  std::vector<Json> events;
  std::size_t bytes = 0;
  first = r.events.size();
  while (first > 0) {
    Json one = event_json(p, r.events[first - 1]);
    bytes += one.dump(-1, ' ', true, Json::error_handler_t::replace).size() + 1;
    if (bytes > most_bytes) break;
    events.push_back(std::move(one));
    --first;
  }
  std::reverse(events.begin(), events.end());
  Json lines = Json::array(), warps = Json::array();
  for (const simt::SourceLine &at : r.lines)
    lines.push_back({{"file", for_json(at.file)}, {"line", at.line}, {"here", at.file == view.file}});
  for (const simt::RecordedWarp &w : r.warps)
    warps.push_back({{"name", fmt::format("warp {} of block {}", w.warp, block_name(w.block))},
                     {"lanes", w.lanes},
                     {"warp", w.warp},
                     {"detailed", w.detailed}});
  return {{"events", events},
          {"objects", objects_json(p)},
          {"lines", lines},
          {"warps", warps},
          {"lane", r.lane},
          {"block", {r.block.x, r.block.y, r.block.z}},
          {"marked", p.marked < r.events.size() && p.marked >= first
                         ? Json(p.marked - first)
                         : Json(events.empty() ? 0 : events.size() - 1)},
          {"hasFinding", p.marked < r.events.size()}};
}

namespace {

void put_table(Fields &f, const DebugView &view, std::size_t first, std::size_t most) {
  const explain::Playback &p = view.playback;
  const simt::Recording &r = p.recording;
  const std::size_t end = std::min(r.events.size(), p.marked + most / 10 + 1);
  const std::size_t begin = std::max(first, end > most ? end - most : 0);
  Fields rows(Fields::type::list);
  for (std::size_t i = begin; i < end; ++i) {
    const Event &e = r.events[i];
    const simt::SourceLine &at = r.lines[e.line];
    Fields row;
    row.set("number", std::to_string(i - first + 1));
    row.set("warp", fmt::format("{} of block {}", r.warps[e.warp].warp, block_name(r.warps[e.warp].block)));
    row.set("place", at.line > 0 ? fmt::format("{}:{}", at.file, at.line) : "");
    row.set("lanes", explain::lanes_in_words(e.mask));
    row.set("words", short_text(explain::in_words(p, e)));
    row.set("marked", i == p.marked);
    rows << row;
  }
  f.set("rows", rows);
  f.set("rows_words",
        fmt::format("Events {} to {} of {}", begin - first + 1, end - first, r.events.size() - first));
}

void put_lines(Fields &f, const DebugView &view) {
  Fields lines(Fields::type::list);
  const auto all = highlight(view.source);
  for (std::size_t i = 0; i < all.size() && i < most_listed_lines; ++i) {
    Fields line;
    line.set("number", std::to_string(i + 1));
    line.set("text", markup_of(all[i], longest_listed_line));
    lines << line;
  }
  f.set("lines", lines);
  f.set("lines_there", !all.empty());
}

}  // namespace

std::string debug_player(const DebugView &view, const std::string &key, std::size_t first,
                         std::size_t most_rows) {
  const simt::Recording &r = view.playback.recording;
  Fields f;
  f.set("key", key);
  f.set("file", view.file);
  f.set("events", std::to_string(r.events.size() - first));
  std::uint64_t dropped = first;
  std::string who;
  for (const simt::RecordedWarp &w : r.warps) {
    if (!w.detailed) continue;
    dropped += w.dropped;
    who += fmt::format("{}warp {} of block {}", who.empty() ? "" : " and ", w.warp, block_name(w.block));
  }
  f.set("who", who);
  f.set("kernel", r.kernel);
  f.set("cut", text_or_nothing(dropped == 0 ? "" : fmt::format("{} earlier events were left out.", dropped)));
  Fields lanes(Fields::type::list);
  for (int lane = 0; lane < 32; ++lane) lanes << Fields("lane", std::to_string(lane));
  f.set("lanes", lanes);
  put_lines(f, view);
  put_table(f, view, first, most_rows);
  return fill(player_template(), f);
}

std::string debug_to_html(const DebugView &view) {
  std::size_t first = 0;
  Json data;
  data["debug"]["page"] = debug_data(view, most_recorded_bytes, first);
  Fields f;
  f.set("title", view.title);
  f.set("summary", text_or_nothing(view.playback.summary));
  f.set("terms_there", view.terms != nullptr);
  f.set("terms_words", view.terms ? view.terms->sentence : "");
  f.set("terms_picture", view.terms ? terms_to_svg(*view.terms) : "");
  f.set("player", debug_player(view, "page", first));
  return html_page(view.title, fill(debug_template(), f), data, {Script::debug});
}

}  // namespace warpgrade::report
