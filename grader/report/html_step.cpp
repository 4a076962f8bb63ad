#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/conditions.hpp"
#include "report/energy.hpp"
#include "report/figures.hpp"
#include "report/fixes.hpp"
#include "report/html_parts.hpp"
#include "report/links.hpp"
#include "report/prediction.hpp"
#include "report/terms.hpp"
#include "report/text.hpp"
#include "report/what_if.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_log = 64 << 10, enough_to_do = 400, most_to_do = 800;

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

/// As many whole sentences as fit into `most` bytes, and one in any case. A full stop within parentheses or
/// before a small letter ends none.
std::string first_sentences(const std::string &text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = 0;
  int depth = 0;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    const bool stop = (text[i] == '.' || text[i] == '?' || text[i] == '!') && text[i + 1] == ' ';
    if (!stop || depth > 0 || (text[i + 2] >= 'a' && text[i + 2] <= 'z')) continue;
    if (end > 0 && i >= most) break;
    end = i + 1;
  }
  return end == 0 ? text : text.substr(0, end);
}

/// For the table on top: what to do, in whole sentences.
std::string next_of(const grading::StepRecord &s, const score::StepScore &score,
                    const std::vector<Fix> &all) {
  if (!all.empty()) {
    const std::string place = place_of(all.front().file, all.front().line);
    return shortened((place.empty() ? "" : place + ": ") + first_sentences(all.front().reason, enough_to_do),
                     most_to_do);
  }
  if (s.verdict != judge::Verdict::accepted)
    return shortened(first_sentences(s.reason, enough_to_do), most_to_do);
  if (score.ungraded_points > 0)
    return count_cases(s).left_to_course + count_cases(s.answers).left_to_course > 0
               ? fmt::format("{} points: {}", points(score.ungraded_points), score.why_ungraded)
               : fmt::format("{} points wait for a GPU", points(score.ungraded_points));
  for (const judge::CaseVerdict &c : s.answers)
    if (c.ran() && c.verdict != judge::Verdict::accepted) return shortened(c.reason, most_to_do);
  return score.points >= score.max_points ? "Nothing: all points are earned" : "";
}

std::string reproduce(const Report &r, const grading::StepRecord &s, const std::vector<Fix> &all) {
  std::string text = again(r, s.id);
  if (const judge::CaseVerdict *c = s.verdict == judge::Verdict::accepted ? nullptr : telling_case(r, s)) {
    if (c->smallest) text = fmt::format("{0} {1}\n{0}", text, options_of_smallest(*c));
    text += fmt::format(" --case \"{}\" --seed {}", c->name, c->seed);
  }
  if (std::any_of(all.begin(), all.end(), [](const Fix &f) { return !f.wrong; }))
    text += "\n" + explain_again(r, s.id);
  return text;
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
  Fields links(Fields::type::list);
  if (s.counters && s.counters->links) {
    constexpr std::size_t most = 50;
    for (const LinkRow &l : link_rows(*s.counters->links, most)) {
      Fields row;
      row.set("place", l.place.empty() ? "line not known" : l.place);
      row.set("what", l.what);
      row.set("direction", l.direction);
      row.set("bytes", l.bytes);
      row.set("messages", l.messages);
      row.set("alone", l.alone);
      links << row;
    }
    f.set("links_caption", fmt::format("{}", fmt::join(link_sentences(*s.counters->links), " ")));
  }
  f.set("links_there", s.counters && s.counters->links);
  f.set("links", links);
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

/// What the first wrong element is made of.
void put_terms(Fields &f, const Report &r, const grading::StepRecord &s) {
  const judge::CaseVerdict *c = s.verdict == judge::Verdict::accepted ? nullptr : telling_case(r, s);
  f.set("order_there", c && c->order);
  if (c && c->order) f.set("order", *c->order);
  f.set("terms_there", c && c->terms);
  if (!c || !c->terms) return;
  f.set("terms_words", terms_in_words(*c->terms, c->name));
  f.set("terms_picture", terms_to_svg(*c->terms));
}

std::string built(const grading::BuildRecord &b) {
  if (!b.ok) return "";
  std::string text = fmt::format("Built with {} in {:.2f} s", b.front_end, b.seconds);
  if (b.registers) text += fmt::format(", {} registers per thread", *b.registers);
  if (b.spill_bytes) text += fmt::format(", {} bytes spilled", *b.spill_bytes);
  if (b.static_shared_bytes)
    text += fmt::format(", {} bytes of shared memory per block", *b.static_shared_bytes);
  return text + ".";
}

void put_consequences(Fields &one, const Fix &fix) {
  Fields list(Fields::type::list);
  for (const Fix &c : fix.consequences) {
    Fields each;
    each.set("place", place_of(c.file, c.line));
    each.set("code", c.code);
    each.set("reason", c.reason);
    list << each;
  }
  one.set("consequences_there", !fix.consequences.empty());
  one.set("consequences_words", consequences_in_words(fix));
  one.set("consequences", list);
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
  f.set("points", r.not_graded.empty() ? points(score.points) : "–");
  f.set("max_points", points(score.max_points));
  f.set("meter", r.not_graded.empty() ? meter(score) : "");
  const bool accepted_in_part = !r.not_graded.empty() && s.verdict == judge::Verdict::accepted;
  f.set("next", accepted_in_part ? "" : next_of(s, score, all));
  f.set("reason",
        text_or_nothing(accepted || (!all.empty() && all.front().reason.starts_with(s.reason)) ? ""
                                                                                               : s.reason));
  std::string also;
  for (const judge::Verdict v : s.also)
    also += fmt::format("{}{}", also.empty() ? "" : ", ", judge::in_words(v));
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
    one.set("dispute", text_or_nothing(dispute_address(extras, s.id, fix.file == s.file ? fix.line : 0)));
    put_consequences(one, fix);
    list << one;
  }
  f.set("dispute_step", text_or_nothing(dispute_address(extras, s.id, 0)));
  f.set("fixes_there", !all.empty());
  f.set("fixes_title", accepted ? "What to improve" : "What to fix");
  f.set("fixes", list);
  f.set("in_place", text_or_nothing(r.not_graded.empty() && score.in_place
                                        ? fmt::format("Speed: {}.", score.in_place->sentence)
                                        : ""));
  f.set("waits", text_or_nothing(r.not_graded.empty() && score.ungraded_points > 0
                                     ? fmt::format("{} points wait: {}.", points(score.ungraded_points),
                                                   score.why_ungraded)
                                     : ""));
  std::string predicted, caveats;
  Fields what_if(Fields::type::list);
  if (const predict::StepPrediction *p = prediction_of(r, s.id)) {
    predicted = score.performance ? prediction_beside(*p, score.performance->gflops) + "."
                                  : prediction_in_words(*p, gives_points(score));
    predicted.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(predicted.front())));
    caveats = fmt::format("{}", fmt::join(p->prediction.caveats, " "));
    for (const std::string &text : promises_in_words(*p)) what_if << Fields("text", "What if: " + text);
    const auto measured =
        score.performance ? std::optional(score.performance->gflops) : std::optional<double>();
    for (const std::string &text : kept_in_words(*p, measured))
      what_if << Fields("text", "Promised: " + text);
  }
  f.set("predicted", text_or_nothing(predicted));
  f.set("caveats", caveats);
  f.set("what_if", what_if);
  f.set("reproduce", text_or_nothing(accepted && all.empty() ? "" : reproduce(r, s, all)));
  put_terms(f, r, s);
  put_properties(f, s.id, r.assignment.find_step(s.id), s.properties);
  put_cases(f, r, s);
  put_counters(f, r, s, score);
  f.set("gpu_conditions",
        text_or_nothing(s.performance ? conditions_text(score::conditions_of(*s.performance)) : ""));
  f.set("energy", text_or_nothing(s.performance ? energy_text(*s.performance, "") : ""));
  const auto source = extras.sources.find(s.id);
  put_source(f, s, source == extras.sources.end() ? nullptr : &source->second, extras);
  f.set("log", text_or_nothing(shortened(s.build.log, most_log)));
  f.set("log_open", !s.build.ok);
  f.set("printed", text_or_nothing(s.printed));
  put_notes(f, s);
  const std::string remark = compiler_remark(s.build.front_end, score.performance);
  f.set("built", text_or_nothing(built(s.build) + (remark.empty() ? "" : " For its speed: " + remark + ".")));
  return f;
}

}  // namespace warpgrade::report
