#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/consequences.hpp"
#include "report/conditions.hpp"
#include "report/discreet.hpp"
#include "report/energy.hpp"
#include "report/figures.hpp"
#include "report/fixes.hpp"
#include "report/prediction.hpp"
#include "report/proof.hpp"
#include "report/terms.hpp"
#include "report/text.hpp"
#include "report/what_if.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t indent = 11;       // "  cases    "
constexpr std::size_t label_width = 37;  // of a table of figures
constexpr std::size_t most_fixes = 2, most_names = 5, most_answers = 8;

std::string_view color_of(const grading::StepRecord &s) {
  const std::string_view badge = badge_of(s);
  return badge == "PASS" ? "1;32" : badge == "FAIL" ? "1;31" : "1;33";
}

std::size_t lines_in(const std::string &text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

class Terminal {
 public:
  Terminal(const Report &r, const Style &style)
      : r_(r), style_(style), columns_(std::clamp(style.columns, narrowest, widest)) {}

  std::string render() {
    if (!style_.quiet) head();
    for (std::size_t i = 0; i < r_.record.steps.size(); ++i) step(r_.record.steps[i], r_.score.steps.at(i));
    foot();
    return out_;
  }

  std::string late_prediction(const std::string &id) {
    for (std::size_t i = 0; i < r_.record.steps.size(); ++i) {
      if (r_.record.steps[i].id != id || prediction_of(r_, id) == nullptr) continue;
      line();
      line(paint("1", id));
      predicted(r_.record.steps[i], r_.score.steps.at(i));
    }
    return out_;
  }

 private:
  // --- layout
  // -------------------------------------------------------------------------------------------------
  std::string paint(std::string_view code, std::string_view text) const {
    return style_.color && !code.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  static std::string trimmed(std::string_view text) {
    return std::string(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  /// Too narrow for a table of figures: each row becomes a sentence.
  bool narrow() const { return columns_ < widest; }
  void line(std::string_view text = "") { out_ += trimmed(text) + "\n"; }
  void lines(std::string_view label, const std::vector<std::string> &parts, std::string_view code = "") {
    bool first = true;
    for (const std::string &part : parts) {
      line(paint("2", fmt::format("  {:<{}}", first ? label : "", indent - 2)) + paint(code, trimmed(part)));
      first = false;
    }
  }
  /// "  label    text", wrapped under itself. `text` is escaped already.
  void item(std::string_view label, std::string_view text, std::string_view code = "") {
    lines(label, wrap(text, columns_ - indent), code);
  }
  void command(std::string_view label, const std::string &text) {
    lines(label, wrap_command(for_terminal(text), columns_ - indent), "36");
  }
  /// Text from a submission: bounded, escaped, and with a prefix on every line of the screen, so that none
  /// can pass for ours.
  void quote(std::string_view text, std::size_t most_lines) {
    const std::string prefix = paint("2", "    | "), continued = paint("2", "    : ");
    const std::string safe = for_terminal(text, true);
    std::size_t shown = 0;
    for (std::size_t at = 0; at < safe.size();) {
      const std::size_t end = std::min(safe.find('\n', at), safe.size());
      std::string_view rest = std::string_view(safe).substr(at, end - at);
      bool first = true;
      do {
        if (shown++ == most_lines) {
          line(prefix + paint("2", style_.in_page   ? "... and more"
                                   : style_.verbose ? "... (--json keeps the rest)"
                                                    : "... (--verbose shows more, --json keeps all)"));
          return;
        }
        const std::size_t part = fitting(rest, columns_ - 6);
        line((first ? prefix : continued) + std::string(rest.substr(0, part)));
        rest.remove_prefix(part);
        first = false;
      } while (!rest.empty());
      at = end + 1;
    }
  }

  // --- parts
  // --------------------------------------------------------------------------------------------------
  void head() {
    const std::string title = fmt::format("{}: {}", r_.assignment.name, r_.assignment.title);
    for (const std::string &part : wrap(title, columns_)) line(paint("1", part));
    const std::string where = fmt::format("{} on {}, seed {}", for_terminal(r_.record.submission),
                                          for_terminal(r_.record.device.name), r_.record.seed);
    for (const std::string &part : wrap(where, columns_)) line(paint("2", part));
    if (!r_.record.device.gpu)
      for (const std::string &part :
           wrap(fmt::format("Graded on the simulator ({}){}.", for_terminal(r_.record.device.why_no_gpu),
                            r_.score.without_gpu.empty() ? "; points for speed wait for a GPU" : ""),
                columns_))
        line(paint("2", part));
    if (const std::string remark = remark_on_thresholds(r_); !remark.empty())
      for (const std::string &part : wrap(remark, columns_)) line(paint("2", part));
    if (!r_.record.refused.empty()) item("archive_refused", for_terminal(r_.record.refused), "1;31");
    for (const std::string &note : r_.record.notes) item("note", for_terminal(note), "33");
    line();
  }

  void step(const grading::StepRecord &s, const score::StepScore &score) {
    verdict_line(s, score);
    if (style_.quiet) return;
    if (score.by_hand)
      item("by hand", fmt::format("{} points in place of {}: {}", points(score.points),
                                  points(score.computed_points), for_terminal(score.by_hand->reason)));
    if (has_kernel(s)) {
      what_to_fix(s, score);
      cases(s);
      if (!s.answers.empty()) answers(s.answers);
    } else {
      answers(s);
    }
    speed(s, score);
    counters(s, score);
    waiting(s, score);
    predicted(s, score);
    if (has_kernel(s)) build(s);
    proof(s);
    notes(s);
    printed(s);
    line();
  }

  void proof(const grading::StepRecord &s) {
    const course::Step *step = r_.assignment.find_step(s.id);
    if (step && !step->proof.empty()) {
      const char *label = "proof";
      for (const PropertyPoints &one : properties_with_points(*step, s.properties))
        item(label, one.text, one.lost ? "33" : "32"), label = "";
    } else if (const std::string all = properties_in_a_line(s.properties); !all.empty()) {
      item("proof", all);
    }
  }

  bool has_kernel(const grading::StepRecord &s) const {
    const course::Step *step = r_.assignment.find_step(s.id);
    return !step || step->has_kernel();
  }

  void answers(const grading::StepRecord &s) {
    if (s.cases.empty()) return item("problem", for_terminal(s.reason));
    answers(s.cases);
  }

  void answers(const std::vector<judge::CaseVerdict> &all) {
    std::vector<const judge::CaseVerdict *> open;
    for (const judge::CaseVerdict &c : all)
      if (c.ran() && c.verdict != judge::Verdict::accepted) open.push_back(&c);
    item("answers", answers_in_words(count_cases(all)));
    const std::size_t most = style_.verbose ? open.size() : std::min<std::size_t>(open.size(), most_answers);
    for (std::size_t i = 0; i < most; ++i)
      item(open[i]->verdict == judge::Verdict::not_implemented ? "open" : "wrong",
           for_terminal(open[i]->reason));
    if (most < open.size()) item("", fmt::format("and {} more{}", open.size() - most, verbose_option()), "2");
  }

  void verdict_line(const grading::StepRecord &s, const score::StepScore &score) {
    const std::string worth =
        fmt::format("{}/{}", r_.not_graded.empty() ? points(score.points) : "-", points(score.max_points));
    const std::string verdict(verdict_in_words(s));
    const std::string credit = score.extra_credit ? " (extra credit)" : "";
    const std::string id = fmt::format("{:<8}", s.id + " ");
    const std::size_t before = 5 + id.size();  // the badge and the name
    const std::string badge = paint(fmt::format("{};7", color_of(s)), badge_of(s)) + " " + paint("1", id);
    if (narrow()) {
      const std::vector<std::string> parts = wrap(s.title + credit, columns_ - before);
      for (std::size_t i = 0; i < parts.size(); ++i)
        line((i == 0 ? badge : std::string(before, ' ')) + parts[i]);
      return line(paint(color_of(s), fmt::format("{:>{}}", verdict, columns_ - 9)) +
                  fmt::format(" {:>8}", worth));
    }
    const std::size_t room = columns_ - before - 1 - std::max<std::size_t>(verdict.size(), 8) - 9;
    std::string title = s.title + credit;
    if (title.size() > room) title = s.title.substr(0, room - credit.size()) + credit;
    line(fmt::format("{}{}{} {:>8}", badge, title,
                     paint(color_of(s), fmt::format("{:>{}}", verdict, columns_ - before - title.size() - 9)),
                     worth));
  }

  void what_to_fix(const grading::StepRecord &s, const score::StepScore &score) {
    const std::vector<Fix> all = fixes(s, score);
    const bool accepted = s.verdict == judge::Verdict::accepted;
    // A hint where nothing is wrong is enough once; the figures below name the other lines.
    const std::size_t most = style_.verbose ? all.size() : std::min(all.size(), accepted ? 1 : most_fixes);
    // The step's reason is not said twice: one of the first places to look at mostly begins with it.
    const auto shown = all.begin() + static_cast<std::ptrdiff_t>(most);
    if (!accepted &&
        std::none_of(all.begin(), shown, [&](const Fix &f) { return f.reason.starts_with(s.reason); }))
      item("problem", for_terminal(s.reason));
    for (std::size_t i = 0; i < most; ++i) fix(all[i]);
    if (most < all.size() && !accepted)
      item("",
           fmt::format("and {} more place{}{}", all.size() - most, all.size() - most == 1 ? "" : "s",
                       verbose_option()),
           "2");
    if (const judge::CaseVerdict *c = accepted ? nullptr : telling_case(r_, s)) seen_in(s, *c, all);
    if (!s.build.ok && !s.build.log.empty()) {
      item("compiler", "said:");
      quote(s.build.log, style_.verbose ? 400 : 16);
    } else if (!accepted && s.build.ok && !s.build.log.empty() && !style_.verbose) {
      item("compiler", "warned:");
      quote(s.build.log, 16);
    }
    if (std::any_of(all.begin(), all.end(), [](const Fix &f) { return !f.wrong; }))
      command("more", explain_again(r_, s.id));
  }

  void fix(const Fix &f) {
    place_and_reason(f);
    if (f.consequences.empty()) return;
    if (!style_.verbose)
      return item("",
                  fmt::format("Possibly a consequence: {}{}", for_terminal(consequences_in_words(f)),
                              verbose_option()),
                  "2");
    for (const Fix &c : f.consequences)
      item("", fmt::format("Possibly a consequence: {}{}: {}",
                           for_terminal(judge::in_words({c.code, c.file, c.line}, f.file)),
                           c.count > 1 ? fmt::format(" ({} times)", c.count) : "", for_terminal(c.reason)));
  }

  void place_and_reason(const Fix &f) {
    const char *label = f.wrong ? "at" : "improve", *code = f.wrong ? "1;31" : "1;33";
    const std::string reason = for_terminal(f.reason);
    std::string place =
        f.line > 0 ? fmt::format("{}:{}", for_terminal(f.file), f.line) : for_terminal(f.file);
    if (place.empty()) return item(label, reason);
    if (f.count > 1) place += fmt::format("  ({} times)", f.count);
    if (columns_of(place) + 2 + columns_of(reason) <= columns_ - indent)
      return lines(label, {paint(code, place) + "  " + reason});
    lines(label, wrap(place, columns_ - indent), code);
    lines("", wrap(reason, columns_ - indent));
  }

  void seen_in(const grading::StepRecord &s, const judge::CaseVerdict &c, const std::vector<Fix> &shown) {
    const bool known = c.reason == s.reason || (!shown.empty() && shown.front().reason.starts_with(c.reason));
    item("seen in", known ? c.name : fmt::format("{}: {}", c.name, for_terminal(c.reason)));
    if (c.comparison)
      for (const problem::Mismatch &m : c.comparison->first)
        item("", fmt::format("{} is {}, should be {}", m.where, problem::number_in_words(m.got, 7),
                             problem::number_in_words(m.want, 7)));
    if (c.terms) item("why", for_terminal(terms_in_words(*c.terms, c.name)));
    if (c.order) item("order", for_terminal(*c.order));
    command("again", fmt::format("{} --case \"{}\" --seed {}", again(r_, s.id), c.name, c.seed));
    if (!c.smallest) return;
    item("smaller", smaller_in_words(c));
    command("", fmt::format("{} {}", again(r_, s.id), options_of_smallest(c)));
  }

  void cases(const grading::StepRecord &s) {
    const CaseCount n = count_cases(s);
    if (n.ran + n.wait_for_gpu == 0 || s.verdict == judge::Verdict::not_implemented) return;
    std::string text = fmt::format("{} of {} right{}", n.right, n.ran, n.hidden);
    if (n.right < n.ran) text += which(s, n);
    if (n.right == n.ran && n.ran > 0)
      text += fmt::format(", largest error {:.2f} of the tolerance", n.largest_error);
    if (n.wait_for_gpu > 0)
      text += fmt::format("; {} larger one{} wait{} for a GPU", n.wait_for_gpu,
                          n.wait_for_gpu == 1 ? "" : "s", n.wait_for_gpu == 1 ? "s" : "");
    if (n.skipped > 0) text += fmt::format("; {} not run after these failures", n.skipped);
    item("cases", text);
    if (style_.verbose) every_case(s);
  }

  /// Which sizes are right and which are not says much: name the fewer of them.
  std::string which(const grading::StepRecord &s, const CaseCount &n) const {
    const bool name_right = n.right > 0 && n.right <= n.ran - n.right;
    if (!name_right && n.right == 0) return "";
    const std::vector<std::string> all = case_names(r_, s);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (s.cases[i].ran() && !s.cases[i].advisory && !secret(r_, s.cases[i]) &&
          (s.cases[i].verdict == judge::Verdict::accepted) == name_right)
        names.push_back(all[i]);
    if (names.empty()) return "";
    const std::size_t rest = names.size() > most_names ? names.size() - most_names : 0;
    names.resize(names.size() - rest);
    return fmt::format("{} {}{}", name_right ? ", only" : "; wrong:", fmt::join(names, ", "),
                       rest > 0 ? fmt::format(" and {} more", rest) : "");
  }

  void every_case(const grading::StepRecord &s) {
    const std::vector<std::string> names = case_names(r_, s);
    for (std::size_t i = 0; i < s.cases.size(); ++i) {
      const judge::CaseVerdict &c = s.cases[i];
      const std::string verdict = outcome_of(r_, c);
      const double units = c.comparison ? c.comparison->max_error : 0;
      const std::string error = c.comparison && !secret(r_, c) ? (units < 1e5 ? fmt::format("{:.2f}", units)
                                                                              : fmt::format("{:.1e}", units))
                                                               : "";
      item("",
           narrow() ? fmt::format("{}: {}{}{}", names[i], verdict, error.empty() ? "" : ", ", error)
                    : fmt::format("{:<40} {:<18} {:>8}", names[i], verdict, error),
           !c.ran()                                ? "2"
           : c.verdict == judge::Verdict::accepted ? ""
                                                   : "31");
      if (!secret(r_, c) && !c.printed.empty()) quote(c.printed, 5);
    }
  }

  // One grid for all figures: what, measured, ideal or pass, threshold or full, points.
  void row(std::string_view what, std::string_view measured = "", std::string_view third = "",
           std::string_view fourth = "", std::string_view worth = "", std::string_view code = "") {
    if (narrow()) return sentence(what, measured, third, fourth, worth, code);
    const std::vector<std::string> parts = wrap(what, label_width - 1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::string text = "    " + parts[i] + std::string(label_width - columns_of(parts[i]), ' ');
      if (i == 0) text += fmt::format("{:>10}{:>9}{:>12}{:>8}", measured, third, fourth, worth);
      text.erase(text.find_last_not_of(' ') + 1);
      line(paint(code, text));
    }
  }
  void sentence(std::string_view what, std::string_view measured, std::string_view third,
                std::string_view fourth, std::string_view worth, std::string_view code) {
    std::string text(what);
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) text += fmt::format("{} {} {}", text == what ? ":" : ",", name, value);
    };
    if (!measured.empty()) text += fmt::format(": {}", measured);
    add(third_, third);
    add(fourth_, fourth);
    add("points", worth);
    std::size_t indented = 4;
    for (const std::string &part : wrap(text, columns_ - 6)) {
      line(paint(code, std::string(indented, ' ') + part));
      indented = 6;
    }
  }
  void heading(std::string_view what, std::string_view third, std::string_view fourth) {
    third_ = third;
    fourth_ = fourth;
    if (narrow()) return line(paint("2", fmt::format("  {}", what)));
    line(paint("2", fmt::format("  {:<{}}{:>10}{:>9}{:>12}{:>8}", what, label_width + 2, "measured", third,
                                fourth, "points")));
  }

  void counters(const grading::StepRecord &s, const score::StepScore &score) {
    const std::vector<CounterRow> rows = counter_rows(s, score);
    if (rows.empty()) return;
    heading("counters at " + r_.assignment.problem_of(s.id).case_name(s.counters->on), "ideal", "threshold");
    const auto number = [](const std::optional<double> &v) { return v ? figure(*v) : std::string(); };
    for (const CounterRow &c : rows) {
      if (c.limit.empty() && !score.counters.empty() && !style_.verbose) continue;
      const std::string measured = c.measured ? figure(*c.measured) : "nothing";
      row(c.what, measured, number(c.ideal), c.limit, c.points, c.lost ? "33" : "");
      if (c.lost && c.line > 0)
        row(fmt::format("-> most of it at {}:{}", for_terminal(c.file), c.line), "", "", "", "", "33");
    }
  }

  void speed(const grading::StepRecord &s, const score::StepScore &score) {
    if (!score.performance) return;
    const score::Performance &p = *score.performance;
    const auto whole = [](const std::optional<double> &v) {
      return v ? fmt::format("{:.0f}", *v) : std::string();
    };
    const auto worth = speed_points(r_.assignment, score);
    heading("speed at " + r_.assignment.problem_of(score.id).case_name(p.size), "pass", "full");
    row(p.unit, whole(p.gflops), whole(p.pass), whole(p.full),
        worth ? fmt::format("{}/{}", points(worth->points), points(worth->of)) : "",
        !p.pass || p.counts_as >= *p.full ? "32" : "33");
    if (p.of_library) {
      const auto share = [&](const std::optional<double> &v) {
        return v ? fmt::format("{:.1f} %", *v / *p.library_rate * 100) : std::string();
      };
      row(fmt::format("of {}{} ({:.0f})", problem::name_of(p.library),
                      in_fp32(r_.assignment.problem_of(score.id)) ? " fp32" : "", *p.library_rate),
          share(p.gflops), share(p.pass), share(p.full), "");
    }
    if (p.of_peak)
      row(p.unit == "GFLOPS" ? "of the GPU's peak"
                             : fmt::format("of its memory's bandwidth ({:.0f})", p.gflops / *p.of_peak),
          fmt::format("{:.1f} %", *p.of_peak * 100), "", "", "");
    bar(p);
    const score::Conditions conditions = score::conditions_of(*s.performance);
    item("",
         fmt::format("{:.3f} ms (p10 {:.3f}, p90 {:.3f}, {} runs); 95 % confidence: {:.0f} to {:.0f}",
                     p.median_ms, p.p10_ms, p.p90_ms, p.samples, p.low_gflops, p.high_gflops),
         "2");
    if (const predict::StepPrediction *predicted = prediction_of(r_, s.id)) {
      item("", for_terminal(prediction_beside(*predicted, p.gflops)), "2");
      what_if(*predicted, p.gflops);
    }
    if (p.counts_as > p.gflops)
      item("", fmt::format("counts as {:.0f} {}, which it may have reached", p.counts_as, p.unit));
    if (p.pass && style_.verbose) item("", "thresholds of " + r_.thresholds.file, "2");
    if (const auto &energy = s.performance->energy; energy && (energy->why_not.empty() || style_.verbose))
      item("energy", for_terminal(energy_text(*s.performance, problem::name_of(p.library))), "2");
    const bool held_back =
        conditions.throttled_runs > 0 || conditions.throttled_throughout || !conditions.settled;
    if (const std::string text = conditions_text(conditions); !text.empty() && (held_back || style_.verbose))
      item("gpu", text, held_back ? "33" : "2");
    if (const std::string text = compiler_remark(s.build.front_end, p); !text.empty())
      item("compiler", text, "33");
  }

  /// From 0 to the library, or to the highest figure there is: what was reached, and where points begin and
  /// end.
  void bar(const score::Performance &p) {
    const std::size_t width = std::min<std::size_t>(52, columns_ - indent - 9);
    const double end = std::max({p.gflops, p.full.value_or(0), p.library_rate.value_or(0)});
    if (!(end > 0)) return;
    const auto at = [&](double v) { return std::min(width - 1, static_cast<std::size_t>(v / end * width)); };
    std::string cells(width, '.');
    std::fill(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(at(p.gflops)) + 1, '#');
    if (p.pass) cells[at(*p.pass)] = 'p';
    if (p.full) cells[at(*p.full)] = 'f';
    item("", fmt::format("[{}] {}", cells,
                         p.library_rate && end == *p.library_rate ? problem::name_of(p.library) : ""));
  }

  void waiting(const grading::StepRecord &s, const score::StepScore &score) {
    if (!r_.not_graded.empty()) return;
    if (score.in_place) item("speed", for_terminal(score.in_place->sentence), "33");
    if (score.ungraded_points > 0)
      item("waiting",
           fmt::format("{} points: {}", points(score.ungraded_points), for_terminal(score.why_ungraded)),
           "33");
    else if (!score.performance && s.verdict == judge::Verdict::accepted && r_.record.device.gpu &&
             !s.why_no_performance.empty())
      item("speed", for_terminal(s.why_no_performance));
  }

  void what_if(const predict::StepPrediction &p, const std::optional<double> &measured) {
    const char *label = "what if";
    for (const std::string &text : promises_in_words(p)) item(label, for_terminal(text)), label = "";
    for (const std::string &text : kept_in_words(p, measured)) item("promised", for_terminal(text), "32");
  }

  void predicted(const grading::StepRecord &s, const score::StepScore &score) {
    const predict::StepPrediction *p = prediction_of(r_, s.id);
    if (p == nullptr || score.performance) return;
    item(score.in_place ? "" : "speed", for_terminal(prediction_in_words(*p, gives_points(score))));
    if (!p->prediction.why_not.empty() && !p->too_long) return;
    what_if(*p, std::nullopt);
    if (style_.verbose)
      for (const std::string &caveat : p->prediction.caveats) item("", for_terminal(caveat), "2");
    command("more", fmt::format("{} --gpu {}", explain_again(r_, s.id), p->gpu_id));
  }

  void build(const grading::StepRecord &s) {
    if (!s.build.ok) return;
    std::string text = fmt::format("{}, {:.2f} s", s.build.front_end, s.build.seconds);
    if (s.build.registers) text += fmt::format(", {} registers per thread", *s.build.registers);
    if (s.build.spill_bytes && *s.build.spill_bytes > 0)
      text += fmt::format(", {} bytes spilled", *s.build.spill_bytes);
    if (s.build.static_shared_bytes && *s.build.static_shared_bytes > 0)
      text += fmt::format(", {} bytes of shared memory per block", *s.build.static_shared_bytes);
    item("build", text, "2");
    if (style_.verbose && !s.build.log.empty()) {
      item("compiler", "said:");
      quote(s.build.log, 400);
    }
  }

  void notes(const grading::StepRecord &s) {
    std::size_t more = 0, shown = 0;
    for (const judge::Finding &f : s.findings) {
      if (f.severity == "error" || (f.severity == "info" && !style_.verbose)) continue;
      if (s.verdict != judge::Verdict::accepted && is_cause(f)) continue;  // among the fixes above
      // Beside an error a warning mostly follows from it.
      if (!style_.verbose && (s.verdict != judge::Verdict::accepted || shown == most_fixes)) {
        ++more;
        continue;
      }
      ++shown;
      const std::string where =
          f.file.empty() ? "" : for_terminal(f.file) + (f.line > 0 ? fmt::format(":{}", f.line) : "") + ": ";
      item(f.severity,
           where + for_terminal(f.message) + (f.count > 1 ? fmt::format(" ({} times)", f.count) : ""));
    }
    if (more > 0)
      item("", fmt::format("and {} warning{}{}", more, more == 1 ? "" : "s", verbose_option()), "2");
  }

  const char *verbose_option() const { return style_.in_page ? "" : " (--verbose)"; }

  /// What was printed floods the screen: how much it is, and how to see it.
  void printed(const grading::StepRecord &s) {
    if (!style_.verbose) {
      std::size_t printed_lines = lines_in(s.printed);
      for (const judge::CaseVerdict &c : s.cases)
        if (!secret(r_, c)) printed_lines += lines_in(c.printed);
      if (printed_lines > 0)
        item("printed",
             fmt::format("your code printed {} line{}{}", printed_lines, printed_lines == 1 ? "" : "s",
                         style_.in_page       ? ""
                         : printed_lines == 1 ? "; -v shows it"
                                              : "; -v shows them"));
      return;
    }
    if (s.printed.empty()) return;
    item("printed", "by the launcher (never read by the grader):");
    quote(s.printed, 20);
  }

  void foot() {
    if (!r_.not_graded.empty()) return line(paint("1", fmt::format("Score: not graded ({})", r_.not_graded)));
    if (!style_.quiet && r_.score.ungraded_points > 0)
      for (const std::string &part :
           wrap(fmt::format("{} points could not be measured here.", points(r_.score.ungraded_points)),
                columns_))
        line(paint("33", part));
    if (!style_.quiet && r_.score.extra_credit > 0)
      line(fmt::format("Extra credit: {} of these points.", points(r_.score.extra_credit)));
    line(paint("1", fmt::format("Score: {}/{}", points(r_.score.points), points(r_.score.max_points))));
  }

  const Report &r_;
  Style style_;
  const std::size_t columns_;
  std::string third_, fourth_;  ///< what the last heading calls its columns
  std::string out_;
};

}  // namespace

std::string to_terminal(const Report &r, const Style &style) {
  const Discreet discreet(r);
  return Terminal(discreet.report(), style).render();
}

std::string late_prediction_to_terminal(const Report &r, const std::string &step, const Style &style) {
  const Discreet discreet(r);
  return Terminal(discreet.report(), style).late_prediction(step);
}

}  // namespace warpgrade::report
