#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/conditions.hpp"
#include "report/report.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t indent = 11;  // "  cases    "

class Terminal {
 public:
  Terminal(const Report &r, const Style &style) : r_(r), style_(style) {}

  std::string render() {
    head();
    for (std::size_t i = 0; i < r_.record.steps.size(); ++i) step(r_.record.steps[i], r_.score.steps.at(i));
    foot();
    return out_;
  }

 private:
  // --- layout
  // -------------------------------------------------------------------------------------------------
  std::string paint(std::string_view code, std::string_view text) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  void line(std::string_view text = "") { out_ += std::string(text) + "\n"; }
  /// "  label    text", wrapped under itself. `text` is escaped already.
  void item(std::string_view label, std::string_view text, std::string_view code = "") {
    bool first = true;
    for (const std::string &part : wrap(text, columns - indent)) {
      const std::string left = fmt::format("  {:<{}}", first ? label : "", indent - 2);
      line((first ? paint("2", left) : left) + (code.empty() ? part : paint(code, part)));
      first = false;
    }
  }
  /// Text from a submission: bounded, escaped, and prefixed so that no line of it can pass for ours.
  void quote(std::string_view text, std::size_t most_lines) {
    const std::string safe = for_terminal(text, true);
    std::size_t at = 0, shown = 0;
    while (at < safe.size()) {
      const std::size_t end = std::min(safe.find('\n', at), safe.size());
      if (shown++ == most_lines) {
        line(paint("2", "    | ... (--json keeps the rest)"));
        return;
      }
      line(paint("2", "    | ") + safe.substr(at, end - at));
      at = end + 1;
    }
  }

  // --- parts
  // --------------------------------------------------------------------------------------------------
  void head() {
    if (style_.quiet) return;
    line(paint("1", fmt::format("{}: {}", r_.assignment.name, r_.assignment.title)));
    line(paint("2", fmt::format("{} on {}, seed {}", for_terminal(r_.record.submission),
                                r_.record.device.name, r_.record.seed)));
    if (!r_.record.device.gpu)
      for (const std::string &part :
           wrap(fmt::format("Graded on the simulator ({}); points for speed wait for a GPU.",
                            for_terminal(r_.record.device.why_no_gpu)),
                columns))
        line(paint("2", part));
    line();
  }

  static std::string_view color_of(judge::Verdict v) {
    switch (v) {
      case judge::Verdict::accepted:
        return "1;32";
      case judge::Verdict::not_implemented:
      case judge::Verdict::missing:
      case judge::Verdict::grader_error:
        return "1;33";
      default:
        return "1;31";
    }
  }

  void step(const grading::StepRecord &s, const score::StepScore &score) {
    const std::string worth = fmt::format("{}/{}", points(score.points), points(score.max_points));
    const std::string title = s.title + (score.extra_credit ? " (extra credit)" : "");
    const std::string verdict(judge::name_of(s.verdict));
    const int gap =
        std::max(1, static_cast<int>(columns) - 8 - static_cast<int>(title.size() + verdict.size()) - 9);
    line(fmt::format("{} {}{:{}}{} {:>8}", paint("1", fmt::format("{:<7}", s.id)), title, "", gap,
                     paint(color_of(s.verdict), verdict), worth));
    if (style_.quiet) return;
    if (s.verdict != judge::Verdict::accepted) what_is_wrong(s);
    build(s);
    cases(s);
    counters(s);
    counter_checks(score);
    speed(s, score);
    notes(s);
    if (style_.verbose && !s.printed.empty()) {
      item("printed", "by the launcher (never read by the grader):");
      quote(s.printed, 20);
    }
    line();
  }

  const judge::CaseVerdict *first_bad(const grading::StepRecord &s) const {
    const judge::CaseVerdict *best = nullptr;
    for (const judge::CaseVerdict &c : s.cases) {
      if (!c.ran() || c.verdict == judge::Verdict::accepted) continue;
      if (c.visibility == course::Visibility::hidden && !r_.reveal_hidden) continue;
      // The smallest case that shows the step's own verdict explains most.
      const bool shows_it = c.verdict == s.verdict;
      if (!best || (shows_it && best->verdict != s.verdict)) best = &c;
    }
    return best;
  }

  void what_is_wrong(const grading::StepRecord &s) {
    item("problem", for_terminal(s.reason));
    for (const judge::Finding &f : s.findings)
      if (f.severity == "error") finding(f);
    if (const judge::CaseVerdict *c = first_bad(s)) {
      item("case", c->reason == s.reason ? c->name : fmt::format("{}: {}", c->name, for_terminal(c->reason)));
      if (c->comparison)
        for (const problem::Mismatch &m : c->comparison->first)
          item("", fmt::format("{} is {:.7g}, should be {:.7g}", m.where, m.got, m.want));
      item("again", fmt::format("{} --case \"{}\" --seed {}", again(s.id), c->name, c->seed));
    }
    if (!s.build.ok && !s.build.log.empty()) {
      item("compiler", "said:");
      quote(s.build.log, style_.verbose ? 400 : 30);
    }
  }

  std::string again(const std::string &step) const {
    std::string command = r_.again;
    const std::string mark = "{step}";
    if (const std::size_t at = command.find(mark); at != std::string::npos)
      command.replace(at, mark.size(), step);
    return for_terminal(command);
  }

  std::string explain(const std::string &step) const {
    std::string command = again(step);
    const std::string grade = "./grade ";
    if (command.starts_with(grade)) command.insert(grade.size(), "explain ");
    return command;
  }

  void finding(const judge::Finding &f) {
    std::string where =
        f.file.empty() ? "" : for_terminal(f.file) + (f.line > 0 ? fmt::format(":{}", f.line) : "") + ": ";
    std::string times = f.count > 1 ? fmt::format(" [{} times]", f.count) : "";
    item(f.severity == "error" ? "look at" : f.severity, where + for_terminal(f.message) + times);
  }

  void build(const grading::StepRecord &s) {
    if (!s.build.ok) return;
    std::string text = fmt::format("{}, {:.2f} s", s.build.front_end, s.build.seconds);
    if (s.build.registers) text += fmt::format(", {} registers a thread", *s.build.registers);
    if (s.build.spill_bytes && *s.build.spill_bytes > 0)
      text += fmt::format(", {} bytes spilled", *s.build.spill_bytes);
    if (s.build.static_shared_bytes)
      text += fmt::format(", {} bytes shared a block", *s.build.static_shared_bytes);
    item("build", text);
  }

  void cases(const grading::StepRecord &s) {
    std::size_t ran = 0, right = 0, wait = 0, skipped = 0;
    double largest = 0;
    for (const judge::CaseVerdict &c : s.cases) {
      wait += c.waits_for_gpu;
      skipped += c.skipped;
      if (!c.ran()) continue;
      ++ran;
      right += c.verdict == judge::Verdict::accepted;
      if (c.comparison && std::isfinite(c.comparison->max_error))
        largest = std::max(largest, c.comparison->max_error);
    }
    if (ran + wait == 0) return;
    std::string text = fmt::format("{} of {} right", right, ran);
    if (right == ran && ran > 0) text += fmt::format(", largest error {:.2f} of the tolerance", largest);
    if (wait > 0)
      text +=
          fmt::format("; {} larger one{} wait{} for a GPU", wait, wait == 1 ? "" : "s", wait == 1 ? "s" : "");
    if (skipped > 0) text += fmt::format("; {} not run after these failures", skipped);
    item("cases", text);
    if (style_.verbose) every_case(s);
  }

  void every_case(const grading::StepRecord &s) {
    int hidden = 0;
    for (const judge::CaseVerdict &c : s.cases) {
      const bool secret = c.visibility == course::Visibility::hidden && !r_.reveal_hidden;
      if (c.visibility == course::Visibility::hidden) ++hidden;
      const std::string name = secret ? fmt::format("hidden case {}", hidden) : c.name;
      const std::string verdict = c.waits_for_gpu ? "waits for a GPU"
                                  : c.skipped     ? "not run"
                                                  : std::string(judge::name_of(c.verdict));
      const double units = c.comparison ? c.comparison->max_error : 0;
      const std::string error = c.comparison && !secret ? (units < 1e5 ? fmt::format("{:.2f}", units)
                                                                       : fmt::format("{:.1e}", units))
                                                        : "";
      item("", fmt::format("{:<40} {:<18} {:>8}", name, verdict, error));
      if (!secret && !c.printed.empty()) quote(c.printed, 5);
    }
  }

  void counters(const grading::StepRecord &s) {
    if (!s.counters) return;
    const simt::Counters &c = s.counters->counts;
    using simt::per;
    std::string text = fmt::format("at {}: {:.2f} sectors per global load, {:.2f} per store",
                                   r_.assignment.problem->case_name(s.counters->on),
                                   per(c.global_load.sectors, c.global_load.requests),
                                   per(c.global_store.sectors, c.global_store.requests));
    if (c.shared_requests() > 0)
      text += fmt::format(", {:.2f} wavefronts per shared access", per(c.wavefronts(), c.shared_requests()));
    if (c.global_load.bytes > 0)
      text += fmt::format(", {:.2f} flops per byte asked for", per(c.fp32_flops(), c.requested_bytes()));
    item("counters", text);
  }

  void counter_checks(const score::StepScore &score) {
    bool any_lost = false;
    for (const score::CounterScore &c : score.counters) {
      std::string text =
          fmt::format("{}: {} ({}/{})", judge::in_words(c.check.measure), counter_against_limit(c),
                      points(c.passed ? c.check.points : 0), points(c.check.points));
      if (!c.passed && c.line > 0) text += fmt::format("; most of it at {}:{}", for_terminal(c.file), c.line);
      item("", text, c.passed ? "" : "33");
      any_lost |= !c.passed;
    }
    if (any_lost) item("why", explain(score.id));
  }

  void speed(const grading::StepRecord &s, const score::StepScore &score) {
    if (score.performance) {
      const score::Performance &p = *score.performance;
      std::string text =
          fmt::format("{:.0f} GFLOPS at {} ({:.3f} ms, p10 {:.3f}, p90 {:.3f}, {} samples)", p.gflops,
                      r_.assignment.problem->case_name(p.size), p.median_ms, p.p10_ms, p.p90_ms, p.samples);
      if (p.of_cublas) text += fmt::format("; cuBLAS {:.0f}: {:.1f} %", *p.cublas_gflops, *p.of_cublas * 100);
      if (p.of_peak) text += fmt::format("; {:.1f} % of peak", *p.of_peak * 100);
      item("speed", text);
      item("", fmt::format("95 % sure: {:.0f} to {:.0f} GFLOPS{}", p.low_gflops, p.high_gflops,
                           p.counts_as > p.gflops
                               ? fmt::format("; counts as {:.0f}, which it may have reached", p.counts_as)
                               : std::string()));
      if (p.pass && p.full)
        item("", fmt::format("points from {:.0f} GFLOPS, all of them at {:.0f} ({})", *p.pass, *p.full,
                             r_.thresholds.file));
      if (const std::string text_of_gpu = conditions_text(score::conditions_of(*s.performance));
          !text_of_gpu.empty())
        item("gpu", text_of_gpu);
    }
    if (score.ungraded_points > 0)
      item("waiting",
           fmt::format("{} points: {}", points(score.ungraded_points), for_terminal(score.why_ungraded)));
    else if (!score.performance && s.verdict == judge::Verdict::accepted && r_.record.device.gpu &&
             !s.why_no_performance.empty())
      item("speed", for_terminal(s.why_no_performance));
  }

  void notes(const grading::StepRecord &s) {
    for (const judge::Finding &f : s.findings)
      if (f.severity == "warning" || (f.severity == "info" && style_.verbose)) finding(f);
  }

  void foot() {
    if (r_.score.ungraded_points > 0)
      line(
          fmt::format("{} points could not be measured here (see above).", points(r_.score.ungraded_points)));
    if (r_.score.extra_credit > 0)
      line(fmt::format("Extra credit: {} of these points.", points(r_.score.extra_credit)));
    line(fmt::format("Score: {}/{}", points(r_.score.points), points(r_.score.max_points)));
  }

  const Report &r_;
  Style style_;
  std::string out_;
};

}  // namespace

std::string to_terminal(const Report &r, const Style &style) {
  return Terminal(r, style).render();
}

}  // namespace warpgrade::report
