#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "explain/checklist.hpp"
#include "judge/consequences.hpp"
#include "report/explain.hpp"
#include "report/highlight.hpp"
#include "report/html_parts.hpp"
#include "report/lanes.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_lines = 4000, most_columns = 500, most_pictures = 6;

Fields say(const char *kind, const std::string &mark, const std::string &text) {
  Fields f;
  f.set("kind", kind);
  f.set("mark", mark);
  f.set("words", text);
  return f;
}

/// What stands under a line: findings there, then advice.
std::map<int, std::vector<Fields>> remarks(const grading::StepRecord &s,
                                           const explain::Explanation &explained) {
  std::map<int, std::vector<Fields>> under;
  for (const judge::Finding &f : s.findings)
    if (f.line > 0 && f.file == s.file)
      under[f.line].push_back(
          say(f.severity == "error" ? "error" : "hot",
              f.count > 1 ? fmt::format("{} ({} times):", f.severity, f.count) : f.severity + ":",
              f.follows ? fmt::format("{} Possibly a consequence of {}.", f.message,
                                      judge::in_words(*f.follows, f.file))
                        : f.message));
  for (const explain::Line &line : explained.lines)
    if (line.at.file == s.file)
      for (const explain::Advice &a : line.advice)
        under[line.at.line].push_back(
            say("hot", "advice:", a.sentence + " " + explain::row_in_words(a.pattern)));
  return under;
}

/// text   markup
/// dispute  an address
Fields line_fields(int number, const std::string &text, const explain::Line *line,
                   const std::vector<Fields> &says, bool wrong, const std::string &dispute) {
  Fields f;
  f.set("dispute", text_or_nothing(dispute));
  std::string share, global, shared;
  if (line) {
    const simt::LineCounters &c = line->counts;
    share = line->share == 0 ? "" : line->share < 0.005 ? "<1 %" : fmt::format("{:.0f} %", 100 * line->share);
    global = per_request(c.sectors(), c.ideal_sectors(), c.global_requests());
    shared = per_request(c.wavefronts(), c.wavefronts() - c.conflicts(), c.shared_requests());
  }
  f.set("number", std::to_string(number));
  f.set("text", text);
  f.set("share", share);
  f.set("global", global);
  f.set("shared", shared);
  f.set("row", text_or_nothing(wrong ? "error" : says.empty() ? "" : "hot"));
  Fields list(Fields::type::list);
  for (const Fields &one : says) list << one;
  f.set("says", list);
  return f;
}

void put_lanes(Fields &step, const std::string &id, const explain::Explanation &explained) {
  Fields lanes(Fields::type::list);
  std::size_t drawn = 0;
  const auto put = [&](const Captioned &c) {
    ++drawn;
    Fields one;
    one.set("frame", "drawn");
    one.set("picture", c.svg);
    one.set("title", c.caption);
    lanes << one;
  };
  if (const explain::Product *product = explain::hottest_product(explained))
    if (const auto drawing = draw_product(id + "-fragments", *product)) put(*drawing);
  if (const explain::Access *access = explain::shared_access(explained))
    put(draw_shared_access(id + "-banks", *access));
  if (const simt::LaneSample *tile = explain::copied_tile(explained))
    put(draw_copied_tile(id + "-tile", *tile));
  const std::size_t whole = drawn + most_pictures;
  for (const explain::Line &line : explained.lines)
    for (const explain::Access &access : line.accesses) {
      if (!access.sample || drawn == whole) continue;
      ++drawn;
      Fields one;
      one.set("frame", "picture");
      one.set("picture", lanes_to_svg(access, true));
      one.set("title", sample_title(access));
      lanes << one;
    }
  step.set("lanes_there", drawn > 0);
  step.set("lanes_count", fmt::format("{} picture{}", drawn, drawn == 1 ? "" : "s"));
  step.set("lanes", lanes);
}

}  // namespace

std::string dispute_address(const Extras &extras, const std::string &step, int line) {
  if (extras.disputes.empty()) return "";
  return fmt::format("{}?step={}{}#dispute", extras.disputes, percent_encoded(step, "-_"),
                     line > 0 ? fmt::format("&line={}", line) : "");
}

void put_source(Fields &step, const grading::StepRecord &s, const std::string *source, const Extras &extras) {
  explain::Explanation explained;
  if (s.counters) explained = explanation_of(*s.counters);
  put_lanes(step, s.id, explained);
  step.set("source_there", source != nullptr && !source->empty());
  step.set("source_open", s.verdict != judge::Verdict::missing);
  step.set(
      "source_caption",
      s.counters
          ? "Share of all memory traffic; then, for each request of a warp, sectors of global memory and "
            "wavefronts of shared memory: as counted / at best"
          : "Nothing was counted: " + s.why_no_counters);
  step.set("counted", s.counters.has_value());
  step.set("advice_there", false);
  Fields lines(Fields::type::list);
  if (source) {
    std::map<int, const explain::Line *> figures;
    for (const explain::Line &line : explained.lines)
      if (line.at.file == s.file) figures[line.at.line] = &line;
    const auto under = remarks(s, explained);
    const std::vector<std::vector<Piece>> text = highlight(*source);
    for (std::size_t i = 0; i < std::min(text.size(), most_lines); ++i) {
      const int number = static_cast<int>(i) + 1;
      const auto figure_at = figures.find(number);
      const auto says = under.find(number);
      const bool wrong = std::any_of(s.findings.begin(), s.findings.end(), [&](const judge::Finding &f) {
        return f.line == number && f.file == s.file && f.severity == "error";
      });
      lines << line_fields(number, markup_of(text[i], most_columns),
                           figure_at == figures.end() ? nullptr : figure_at->second,
                           says == under.end() ? std::vector<Fields>{} : says->second, wrong,
                           dispute_address(extras, s.id, number));
    }
    if (text.size() > most_lines)
      lines << line_fields(static_cast<int>(most_lines) + 1,
                           fmt::format("... and {} more lines", text.size() - most_lines), nullptr, {}, false,
                           "");
  }
  step.set("lines", lines);
}

}  // namespace warpgrade::report
