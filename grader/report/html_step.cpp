#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/conditions.hpp"
#include "report/figures.hpp"
#include "report/fixes.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_maps = 3, most_log = 64 << 10;

/// Points as a bar: got, waiting, lost.
std::string meter(const score::StepScore &s) {
  const double of = s.max_points > 0 ? s.max_points : 1;
  const double got = std::clamp(s.points / of, 0.0, 1.0) * 100;
  const double wait = std::clamp(s.ungraded_points / of, 0.0, 1.0) * 100;
  return fmt::format(
      "<svg class=\"meter\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"track\" width=\"100\" height=\"10\"/><rect class=\"got\" width=\"{:.1f}\" "
      "height=\"10\"/>"
      "<rect class=\"wait\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"10\"/></svg>",
      got, got, wait);
}

std::string place_of(const std::string &file, int line) {
  return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

std::string shortened(const std::string &text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t space = text.rfind(' ', most);
  return text.substr(0, space == std::string::npos ? most : space) + " \u2026";
}

/// For the table on top: one line that says what to do.
std::string next_of(const grading::StepRecord &s, const score::StepScore &score,
                    const std::vector<Fix> &all) {
  if (!all.empty()) {
    const std::string place = place_of(all.front().file, all.front().line);
    return shortened((place.empty() ? "" : place + ": ") + all.front().reason, 140);
  }
  if (s.verdict != judge::Verdict::accepted) return shortened(s.reason, 140);
  if (score.ungraded_points > 0)
    return count_cases(s).left_to_course > 0
               ? fmt::format("{} points: {}", points(score.ungraded_points), score.why_ungraded)
               : fmt::format("{} points wait for a GPU", points(score.ungraded_points));
  return score.points >= score.max_points ? "nothing: all points" : "";
}

std::string reproduce(const Report &r, const grading::StepRecord &s, const std::vector<Fix> &all) {
  std::string text = again(r, s.id);
  if (const judge::CaseVerdict *c = s.verdict == judge::Verdict::accepted ? nullptr : telling_case(r, s))
    text += fmt::format(" --case \"{}\" --seed {}", c->name, c->seed);
  if (std::any_of(all.begin(), all.end(), [](const Fix &f) { return !f.wrong; }))
    text += "\n" + explain_again(r, s.id);
  return text;
}

Fields case_fields(const Report &r, const judge::CaseVerdict &c, const std::string &name) {
  const bool hide = secret(r, c);
  Fields f;
  f.set("name", name);
  f.set("verdict", outcome_of(r, c));
  f.set("bad", c.ran() && c.verdict != judge::Verdict::accepted);
  const bool finite = c.comparison && std::isfinite(c.comparison->max_error);
  f.set("error", hide || !c.comparison ? "" : finite ? figure(c.comparison->max_error) : "not finite");
  f.set("reason", hide ? "" : c.reason);
  Fields values(Fields::type::list);
  if (!hide && c.comparison)
    for (const problem::Mismatch &m : c.comparison->first)
      values << Fields("text", fmt::format("{} is {:.7g}, should be {:.7g}", m.where, m.got, m.want));
  f.set("values", values);
  f.set("printed", text_or_nothing(hide ? "" : c.printed));
  return f;
}

std::string summary_of(const CaseCount &n) {
  if (n.left_to_course > 0) return answers_in_words(n) + ".";
  std::string text = fmt::format("{} of {} right{}", n.right, n.ran, n.hidden);
  if (n.right == n.ran && n.ran > 0)
    text += fmt::format(", largest error {:.2f} of the tolerance", n.largest_error);
  if (n.wait_for_gpu > 0) text += fmt::format("; {} wait for a GPU", n.wait_for_gpu);
  if (n.skipped > 0) text += fmt::format("; {} not run after these failures", n.skipped);
  return text + ".";
}

void put_cases(Fields &f, const Report &r, const grading::StepRecord &s) {
  const std::vector<std::string> names = case_names(r, s);
  std::vector<std::size_t> order(s.cases.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const judge::CaseVerdict &c = s.cases[i];
    return !c.ran() ? 2 : c.verdict == judge::Verdict::accepted ? 1 : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  Fields cases(Fields::type::list), maps(Fields::type::list);
  std::size_t drawn = 0;
  for (const std::size_t i : order) {
    const judge::CaseVerdict &c = s.cases[i];
    cases << case_fields(r, c, names[i]);
    if (secret(r, c) || !c.comparison || c.comparison->map.empty() || drawn == most_maps) continue;
    ++drawn;
    Fields map;
    const std::string words = judge::describe(*c.comparison);
    map.set("picture", map_to_svg(c.comparison->map, words));
    map.set("name", names[i]);
    map.set("words", words);
    maps << map;
  }
  const CaseCount n = count_cases(s);
  f.set("cases_there", !s.cases.empty());
  f.set("cases_summary", summary_of(n));
  f.set("cases_open", n.right < n.ran);
  f.set("cases", cases);
  f.set("maps_there", drawn > 0);
  f.set("maps", maps);
}

void put_counters(Fields &f, const Report &r, const grading::StepRecord &s, const score::StepScore &score) {
  Fields rows(Fields::type::list);
  const std::vector<CounterRow> all = counter_rows(s, score);
  for (const CounterRow &c : all) {
    Fields row;
    row.set("what", c.what);
    row.set("measured", c.measured ? figure(*c.measured) : "nothing");
    row.set("ideal", c.ideal ? figure(*c.ideal) : "");
    row.set("limit", c.limit);
    row.set("points", c.points);
    row.set("lost", c.lost);
    row.set("place", c.lost ? place_of(c.file, c.line) : "");
    rows << row;
  }
  f.set("counters_there", !all.empty());
  f.set("counters", rows);
  f.set("counters_on", s.counters ? r.assignment.problem_of(s.id).case_name(s.counters->on) : "");
}

void put_notes(Fields &f, const grading::StepRecord &s) {
  Fields notes(Fields::type::list);
  std::size_t count = 0;
  for (const judge::Finding &finding : s.findings) {
    if (finding.severity == "error" || (finding.line > 0 && finding.file == s.file))
      continue;  // shown elsewhere
    ++count;
    Fields note;
    note.set("severity", finding.severity);
    note.set("place", place_of(finding.file, finding.line));
    note.set("text", finding.message);
    notes << note;
  }
  f.set("notes_there", count > 0);
  f.set("notes_count", std::to_string(count));
  f.set("notes", notes);
}

std::string built(const grading::BuildRecord &b) {
  if (!b.ok) return "";
  std::string text = fmt::format("Built with {} in {:.2f} s", b.front_end, b.seconds);
  if (b.registers) text += fmt::format(", {} registers a thread", *b.registers);
  if (b.spill_bytes) text += fmt::format(", {} bytes spilled", *b.spill_bytes);
  if (b.static_shared_bytes) text += fmt::format(", {} bytes shared a block", *b.static_shared_bytes);
  return text + ".";
}

}  // namespace

Fields step_fields(const Report &r, const grading::StepRecord &s, const score::StepScore &score,
                   const Extras &extras) {
  const std::vector<Fix> all = fixes(s, score);
  const bool accepted = s.verdict == judge::Verdict::accepted;
  Fields f;
  f.set("id", s.id);
  f.set("title", s.title);
  f.set("file", s.file);
  f.set("extra_credit", score.extra_credit);
  f.set("badge", std::string(badge_of(s)));
  f.set("sign", std::string(sign_of(badge_of(s))));
  f.set("verdict", std::string(verdict_in_words(s)));
  f.set("points", points(score.points));
  f.set("max_points", points(score.max_points));
  f.set("meter", meter(score));
  f.set("next", next_of(s, score, all));
  f.set("reason",
        text_or_nothing(accepted || (!all.empty() && all.front().reason.starts_with(s.reason)) ? ""
                                                                                               : s.reason));
  std::string also;
  for (const judge::Verdict v : s.also)
    also += fmt::format("{}{}", also.empty() ? "" : ", ", judge::name_of(v));
  f.set("also", text_or_nothing(also));
  f.set("by_hand",
        text_or_nothing(score.by_hand ? fmt::format("{} points were given by hand, in place of {}: {}",
                                                    points(score.points), points(score.computed_points),
                                                    score.by_hand->reason)
                                      : ""));
  Fields list(Fields::type::list);
  for (const Fix &fix : all) {
    Fields one;
    one.set("kind", fix.wrong ? "wrong" : "hint");
    one.set("place", place_of(fix.file, fix.line));
    one.set("times", text_or_nothing(fix.count > 1 ? std::to_string(fix.count) : ""));
    one.set("reason", fix.reason);
    list << one;
  }
  f.set("fixes", list);
  f.set("waits", text_or_nothing(score.ungraded_points > 0
                                     ? fmt::format("{} points wait: {}.", points(score.ungraded_points),
                                                   score.why_ungraded)
                                     : ""));
  f.set("reproduce", text_or_nothing(accepted && all.empty() ? "" : reproduce(r, s, all)));
  put_cases(f, r, s);
  put_counters(f, r, s, score);
  f.set("gpu_conditions",
        text_or_nothing(s.performance ? conditions_text(score::conditions_of(*s.performance)) : ""));
  const auto source = extras.sources.find(s.id);
  put_source(f, s, source == extras.sources.end() ? nullptr : &source->second);
  f.set("log", text_or_nothing(shortened(s.build.log, most_log)));
  f.set("log_open", !s.build.ok);
  f.set("printed", text_or_nothing(s.printed));
  put_notes(f, s);
  const std::string remark = compiler_remark(s.build.front_end, score.performance);
  f.set("built", text_or_nothing(built(s.build) + (remark.empty() ? "" : " For its speed: " + remark + ".")));
  return f;
}

}  // namespace warpgrade::report
