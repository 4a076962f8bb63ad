#include "report/handout_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "explain/checklist.hpp"
#include "judge/speed.hpp"
#include "report/handout_tour.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using Type = Fields::type;

void set(Fields &fields, const std::string &name, const std::string &text) {
  fields.set(name, Fields(text));
}
void set_flag(Fields &fields, const std::string &name, bool holds) {
  fields.set(name, Fields(holds ? Type::bool_true : Type::bool_false));
}

/// "14", "3.3": how many times as fast, for a sentence.
std::string times(double ratio) {
  return ratio >= 9.95 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.1f}", ratio);
}
std::string whole_percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share,
                     share < 0.0995 && std::abs(100 * share - std::round(100 * share)) > 0.04 ? 1 : 0);
}

/// "2048" where all sizes are alike, else "m=2048 n=2048 k=1024".
std::string size_text(const problem::Problem &p, const problem::Case &c) {
  std::optional<std::int64_t> one;
  for (std::size_t i = 0; i < c.integers.size(); ++i) {
    if (!p.integers()[i].size) continue;
    if (one && *one != c.integers[i]) return p.case_name(c);
    one = c.integers[i];
  }
  return one ? std::to_string(*one) : p.case_name(c);
}

std::string threshold_text(const course::Threshold &t, const problem::Problem &p, const Phrases &say) {
  return t.of_library
             ? whole_percent(t.value) + " " + say(fmt::format("of {}", problem::name_of(p.library())))
             : fmt::format("{} {}", figure(t.value), p.rate_unit());
}

/// "of_cublas", as templates call it; "of_" without a library.
std::string of_library(const course::Assignment &a, const std::string &step) {
  return fmt::format("of_{}", problem::word_of(a.problem_of(step).library()));
}

std::string gpu_name(const course::Thresholds &t, const Phrases &say) {
  return t.gpu.empty() ? say("any other GPU") : t.gpu;
}

/// 2e-06 as Markdown sets it: "2 · 10^−6^".
std::string power_of_ten(double v) {
  if (!(v > 0)) return figure(v);
  const int exponent = static_cast<int>(std::floor(std::log10(v)));
  return fmt::format("{} · 10^{}{}^", figure(v / std::pow(10, exponent)), exponent < 0 ? "−" : "",
                     std::abs(exponent));
}

std::string stem_of(const course::Thresholds &t) {
  return std::filesystem::path(t.file).stem().string();
}

Fields speed_of(const course::Assignment &a, const course::Thresholds &of, const course::StepThresholds &t,
                const Phrases &say) {
  const problem::Problem &p = a.problem_of(t.step);
  Fields f;
  set(f, "gpu", gpu_name(of, say));
  set(f, "step", t.step);
  set(f, "size", size_text(p, t.size));
  set(f, "pass", threshold_text(t.pass, p, say));
  set(f, "full", threshold_text(t.full, p, say));
  return f;
}

Fields checks_of(const course::Step &s, const Phrases &say) {
  Fields list(Type::list);
  for (const course::CounterCheck &check : s.counter_checks) {
    Fields f;
    set(f, "what", say(judge::in_words(check.measure)));
    set(f, "name", std::string(course::name_of(check.measure)));
    set(f, "limit", fmt::format("{} {}", say(check.at_least ? "at least" : "at most"), figure(check.limit)));
    set(f, "points", points(check.points));
    set(f, "step", s.id);
    list << f;
  }
  return list;
}

/// Sizes of the cases that students get; those of the hidden ones stay hidden.
std::string sizes_of(const course::Step &s, bool gpu_only) {
  std::string text;
  for (const course::Case &c : s.cases) {
    if (c.visibility == course::Visibility::hidden || c.gpu_only != gpu_only || c.advisory) continue;
    problem::Case plain = c.values;
    for (std::size_t i = 0; i < plain.reals.size(); ++i) plain.reals[i] = s.problem->reals()[i].otherwise;
    text += (text.empty() ? "" : ", ") + size_text(*s.problem, plain);
  }
  return text;
}

Fields step_of(const course::Step &s, const Phrases &say) {
  Fields f;
  set(f, "id", s.id);
  set(f, "title", say(s.title));
  set(f, "file", s.file);
  set(f, "entry", s.entry);
  set(f, "points", points(s.points.total()));
  set(f, "correct", points(s.points.correct));
  set(f, "memory", s.points.counters > 0 ? points(s.points.counters) : "–");
  if (s.hunt) {
    set(f, "line", points(s.hunt->line_points));
    set(f, "cause", points(s.hunt->cause_points));
    set(f, "changes", std::to_string(s.hunt->most_changes));
  }
  set(f, "fast", s.points.fast > 0 ? points(s.points.fast) : "–");
  set_flag(f, "extra", s.extra_credit);
  set(f, "sizes", sizes_of(s, false));
  set(f, "gpu_sizes", sizes_of(s, true));
  if (!s.counters_on.integers.empty()) set(f, "counters_size", size_text(*s.problem, s.counters_on));
  f.set("checks", checks_of(s, say));
  if (s.rules.static_shared_bytes) set(f, "shared_bytes", std::to_string(*s.rules.static_shared_bytes));
  if (s.rules.outputs_per_thread) set(f, "rule_outputs", figure(s.rules.outputs_per_thread->at_least));
  return f;
}

Fields counted_of(const judge::Counted &counted) {
  Fields f;
  for (const std::string &name : course::measure_names())
    if (const auto value = judge::value_of(*course::measure_of(name), counted)) set(f, name, figure(*value));
  set(f, "requested_per_flop",
      figure(static_cast<double>(counted.counts.fp32_flops()) /
             static_cast<double>(std::max<std::uint64_t>(counted.counts.requested_bytes(), 1))));
  return f;
}

/// A row for each size, in the file's order: rates by step, and how many times as fast one is as another.
Fields rows_of(const HandoutFacts &facts, const Measured &m) {
  std::vector<std::string> sizes;
  std::map<std::string, std::vector<const MeasuredPoint *>> by_size;
  for (const MeasuredPoint &p : m.points) {
    const std::string size = size_text(facts.assignment.problem_of(p.step), p.size);
    if (!by_size.contains(size)) sizes.push_back(size);
    by_size[size].push_back(&p);
  }
  std::set<std::string> steps;
  for (const MeasuredPoint &p : m.points) steps.insert(p.step);
  Fields rows(Type::list);
  for (const std::string &size : sizes) {
    std::map<std::string, const MeasuredPoint *> at;  // not every step is there at every size
    for (const MeasuredPoint *p : by_size[size]) at[p->step] = p;
    Fields row;
    set(row, "size", size);
    for (const std::string &step : steps) {
      const MeasuredPoint *p = at.contains(step) ? at[step] : nullptr;
      Fields f, over;
      set(f, "gflops", p ? fmt::format("{:.0f}", p->gflops) : "–");
      set(f, of_library(facts.assignment, step),
          p && p->library_rate ? whole_percent(p->gflops / *p->library_rate) : "–");
      for (const std::string &other : steps)
        set(over, other, p && at.contains(other) ? times(p->gflops / at[other]->gflops) : "–");
      f.set("over", over);
      row.set(step, f);
    }
    rows << row;
  }
  return rows;
}

Fields measured_of(const HandoutFacts &facts, const Measured &m, const Phrases &say) {
  Fields all, list(Type::list);
  set(all, "gpu", m.gpu);
  if (!m.points.empty())
    set(all, "size", size_text(facts.assignment.problem_of(m.points.front().step), m.points.front().size));
  const MeasuredPoint *before = nullptr;
  for (const course::Step &s : facts.assignment.steps) {
    const MeasuredPoint *p = m.find(s.id);
    if (!p) continue;
    Fields f, over;
    set(f, "id", s.id);
    set(f, "title", s.beyond ? s.title : say(s.title));
    set(f, "gflops", fmt::format("{:.0f}", p->gflops));
    set(f, "milliseconds", p->milliseconds > 0 ? figure(p->milliseconds) : "–");
    set(f, of_library(facts.assignment, s.id),
        p->library_rate ? whole_percent(p->gflops / *p->library_rate) : "–");
    set(f, "times", before ? times(p->gflops / before->gflops) : "–");
    for (const MeasuredPoint &other : m.points) set(over, other.step, times(p->gflops / other.gflops));
    if (p->library_rate)
      set(over, std::string(problem::word_of(s.problem->library())), times(*p->library_rate / p->gflops));
    f.set("over", over);
    set_flag(f, "beyond", s.beyond);
    all.set(s.id, f);
    list << f;
    before = p;
  }
  for (const MeasuredPoint &p : m.points)
    if (p.library_rate) {
      const problem::Problem &timed = facts.assignment.problem_of(p.step);
      set(all, std::string(problem::word_of(timed.library())), fmt::format("{:.0f}", *p.library_rate));
      break;
    }
  all.set("steps", list);
  all.set("rows", rows_of(facts, m));
  return all;
}

/// The numbers that a starter file names: constexpr int BM = 128, BN = 128;
Fields constants_of(const std::string &text) {
  Fields f;
  const std::regex line("constexpr\\s+(?:unsigned|int)\\s+([^;()]*);"),
      one("(\\w+)\\s*=\\s*(\\d+)\\s*(?=,|$)");
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) {
    const std::string list = (*i)[1];
    for (std::sregex_iterator k(list.begin(), list.end(), one); k != end; ++k) set(f, (*k)[1], (*k)[2]);
  }
  return f;
}

Fields mistake_of(const MistakeShown &m) {
  Fields f;
  set(f, "step", m.step);
  set(f, "file", m.file);
  set(f, "verdict", m.verdict);
  set(f, "case", m.case_name);
  set(f, "says", m.says);
  set(f, "line", std::to_string(m.line));
  if (!m.report.empty()) set(f, "report", m.report);
  return f;
}

Fields assignment_of(const course::Assignment &a, const Phrases &say) {
  Fields f;
  set(f, "name", a.name);
  set(f, "title", say(a.title));
  set(f, "points", points(a.points));
  set(f, "extra_credit", points(a.extra_credit));
  set(f, "seed", std::to_string(a.seed));
  set(f, "tolerance", power_of_ten(a.tolerance));
  return f;
}

/// What holds for every GPU that is named here, and for the simulator.
Fields hardware() {
  Fields f;
  set(f, "lanes", "32");
  set(f, "sector", "32");
  set(f, "float", "4");
  set(f, "banks", "32");
  set(f, "block", "1024");
  return f;
}

}  // namespace

std::string Phrases::operator()(const std::string &english) const {
  asked_.insert(english);
  if (!words_) return english;
  const auto found = words_->find(english);
  return found == words_->end() ? english : found->second;
}

std::vector<std::string> Phrases::mistakes() const {
  std::vector<std::string> wrong;
  if (!words_) return wrong;
  for (const std::string &english : asked_)
    if (!words_->contains(english)) wrong.push_back(fmt::format("'words' does not translate '{}'", english));
  for (const auto &[english, translated] : *words_)
    if (!asked_.contains(english))
      wrong.push_back(fmt::format("'words' translates '{}', which nothing here says", english));
  return wrong;
}

Fields handout_fields(const HandoutFacts &facts, const Phrases &say, const std::string &language) {
  const course::Assignment &a = facts.assignment;
  Fields all, steps(Type::list), by_id, counted, starter, figures, drawn, mistakes, gpus, checks(Type::list),
      speeds(Type::list);
  for (const course::Step &s : a.steps) {
    if (s.beyond) continue;
    const Fields f = step_of(s, say);
    steps << f;
    by_id.set(s.id, f);
    const Fields of_step = checks_of(s, say);
    for (const Fields &check : of_step.list_value()) checks << check;
    for (const course::Thresholds &t : facts.thresholds)
      if (const course::StepThresholds *one = t.find(s.id); one && !t.predicted())
        speeds << speed_of(a, t, *one, say);
  }
  for (const auto &[step, c] : facts.counted) counted.set(step, counted_of(c));
  for (const auto &[step, text] : facts.starters) starter.set(step, constants_of(text));
  for (const auto &[name, drawing] : facts.drawings) {
    // On a phone it scrolls sideways by itself: its words would be too small to read if it shrank.
    set(figures, name,
        fmt::format("```{{=html}}\n<div class=\"scroll\" role=\"group\"{} aria-labelledby=\"{}-title\" "
                    "tabindex=\"0\">\n{}</div>\n```",
                    language == "en" ? "" : " lang=\"en\"", "figure-" + name, drawing.svg));
    Fields f;
    for (const auto &[key, value] : drawing.facts) set(f, key, value);
    drawn.set(name, f);
  }
  for (const MistakeShown &m : facts.mistakes) mistakes.set(m.name, mistake_of(m));
  for (const course::Thresholds &t : facts.thresholds) {
    Fields f;
    for (const course::StepThresholds &one : t.steps) f.set(one.step, speed_of(a, t, one, say));
    if (t.peak_gflops) set(f, "peak", figure(*t.peak_gflops));
    if (t.memory_gb_per_s) set(f, "bandwidth", figure(*t.memory_gb_per_s));
    gpus.set(stem_of(t), f);
  }
  all.set("assignment", assignment_of(a, say));
  all.set("steps", steps);
  all.set("step", by_id);
  all.set("checks", checks);
  all.set("speeds", speeds);
  all.set("counted", counted);
  Fields recordings;
  for (const auto &[name, shown] : facts.recordings)
    set(recordings, name, tour_in_markdown(name, shown, language));
  all.set("recording", recordings);
  all.set("figure", figures);
  all.set("drawn", drawn);
  all.set("mistake", mistakes);
  all.set("gpu", gpus);
  all.set("hardware", hardware());
  for (const auto &[name, text] : facts.headers)
    starter.set(name.substr(0, name.find('.')), constants_of(text));
  all.set("starter", starter);
  Fields checklist(Type::list);
  for (const explain::ChecklistRow &row : explain::checklist()) {
    Fields f;
    set(f, "name", std::string(row.name));
    set(f, "cores", std::string(row.cores));
    set(f, "memory", std::string(row.memory));
    set(f, "how", std::string(row.how));
    checklist << f;
  }
  all.set("checklist", checklist);
  Fields causes(Type::list);
  for (const course::Cause &cause : course::hunt_causes()) {
    Fields f;
    set(f, "name", std::string(cause.name));
    set(f, "meaning", std::string(cause.meaning));
    causes << f;
  }
  all.set("causes", causes);
  if (facts.measured) all.set("measured", measured_of(facts, *facts.measured, say));
  if (facts.compared) all.set("compared", measured_of(facts, *facts.compared, say));
  return all;
}

}  // namespace warpgrade::report
