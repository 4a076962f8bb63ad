#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/statistics.hpp"
#include "report/fixes.hpp"
#include "report/html_class_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_diagnostics = 40;

double mean(const std::vector<double> &values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}
double median(std::vector<double> values) {
  return values.empty() ? 0 : quantile(std::move(values), 0.5);
}

/// Whether the page's means and medians count a student: somebody who handed something in and is graded.
bool counts(const ClassStudent &s) {
  return s.status != "not_submitted" && s.status != "pending";
}

// --- what the script computes with

Json threshold(const course::Threshold &t, problem::Library library) {
  return {{"value", number(t.value)}, {"library", t.of_library ? problem::word_of(library) : ""}};
}

/// As thresholds/<gpu>.yaml writes a size.
std::string size_yaml(const problem::Problem &p, const problem::Case &size) {
  const auto &n = problem::sizes_of(p, size).integers;
  if (std::none_of(n.begin(), n.end(), [&](const auto &v) { return v && v != n.front(); }))
    return std::to_string(size.integers.front());
  std::string text;
  for (std::size_t i = 0; i < n.size(); ++i)
    if (n[i]) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", p.integers()[i].name, *n[i]);
  return "{" + text + "}";
}

Json step_data(const Class &c, const course::Step &step) {
  Json j = {{"id", step.id},
            {"title", for_json(step.title)},
            {"max", number(step.points.total())},
            {"fast", number(step.points.fast)}};
  const course::StepThresholds *t = c.thresholds.find(step.id);
  j["timed"] = t != nullptr && timed(c, step);
  if (t) {
    j["size"] = size_yaml(*step.problem, t->size);
    j["library"] = problem::name_of(step.problem->library());
    j["pass"] = threshold(t->pass, step.problem->library());
    j["full"] = threshold(t->full, step.problem->library());
  }
  return j;
}

/// The column of the table of results, from 0: full points, right, wrong, not done, grader failed. -1: not
/// yet graded.
int outcome(const ClassStep *step) {
  if (!step || !step->verdict) return -1;
  const std::string_view badge = badge_of(*step->verdict);
  if (badge == "PASS") return step->points + step->ungraded_points >= step->max_points ? 0 : 1;
  return badge == "FAIL" ? 2 : badge == "OPEN" ? 3 : 4;
}

Json student_data(const Class &c, const ClassStudent &s) {
  Json steps = Json::array();
  for (const course::Step *step : graded_steps(c)) {
    const ClassStep *one = step_of(s, step->id);
    if (!one) {
      steps.push_back(nullptr);
      continue;
    }
    Json j = {{"p", number(one->points)}, {"o", number(one->other_points)}};
    j["badge"] = one->verdict ? badge_of(*one->verdict) : "";
    j["kind"] = outcome(one);
    j["v"] = one->verdict ? judge::name_of(*one->verdict) : "";
    if (one->by_hand) j["hand"] = true;
    if (one->rate) j["r"] = {number(one->rate->median), number(one->rate->low), number(one->rate->high)};
    if (one->library) j["c"] = {number(one->library->median), number(one->library->low)};
    steps.push_back(std::move(j));
  }
  Json j = {{"points", number(s.points)}, {"counts", counts(s)}, {"steps", steps}};
  if (s.late_share > 0) j["late"] = number(s.late_share);
  return j;
}

// --- tables

std::string_view sign(const ClassStep &s) {
  return s.verdict ? sign_of(*s.verdict) : "";
}

Fields student_row(const Class &c, const ClassStudent &s, std::size_t index) {
  Fields row, cells(Fields::type::list);
  row.set("index", std::to_string(index));
  row.set("id", s.id);
  row.set("name", text_or_nothing(s.name));
  row.set("late", text_or_nothing(s.late_days > 0
                                      ? fmt::format("{} day{} late", s.late_days, s.late_days == 1 ? "" : "s")
                                      : ""));
  row.set("pseudonym", s.pseudonym);
  row.set("link", text_or_nothing(s.link));
  row.set("status", s.status);
  row.set("points", points(s.points));
  row.set("waiting", text_or_nothing(s.ungraded_points > 0 ? points(s.ungraded_points) : ""));
  for (const course::Step *step : graded_steps(c)) {
    Fields cell;
    cell.set("step", step->id);
    const ClassStep *one = step_of(s, step->id);
    const bool known = one && one->verdict;
    cell.set("badge", known ? std::string(badge_of(*one->verdict)) : "OPEN");
    cell.set("sign", known ? std::string(sign(*one)) : "");
    // One word of what an accepted step needs none for.
    cell.set("verdict", !known ? "not yet graded"
                        : *one->verdict == judge::Verdict::accepted
                            ? ""
                            : std::string(judge::in_words(*one->verdict)));
    const bool worth_showing = one && (one->points > 0 || one->by_hand || outcome(one) < 2);
    cell.set("shown", worth_showing ? points(one->points) : "");
    cell.set("sort", one ? points(one->points) : "-1");
    cell.set("by_hand", one != nullptr && one->by_hand);
    cells << cell;
  }
  row.set("cells", cells);
  return row;
}

Fields distribution_row(const Class &c, const course::Step &step) {
  std::map<int, std::size_t> count;
  std::vector<double> all;
  for (const ClassStudent &s : c.students) {
    const ClassStep *one = step_of(s, step.id);
    ++count[outcome(one)];
    if (one && one->verdict && counts(s)) all.push_back(one->points);
  }
  Fields row;
  row.set("step", step.id);
  row.set("title", step.title);
  for (const auto &[name, kind] : {std::pair("full", 0), std::pair("part", 1), std::pair("fail", 2),
                                   std::pair("open", 3), std::pair("held", 4), std::pair("waiting", -1)})
    row.set(name, std::to_string(count[kind]));
  row.set("mean", fmt::format("{:.1f}", mean(all)));
  row.set("median", fmt::format("{:.1f}", median(all)));
  row.set("of", points(step.points.total()));
  return row;
}

struct Group {
  std::size_t students = 0;
  const ClassDiagnostic *example = nullptr;
  const ClassStudent *whose = nullptr;
};

/// By cause: the same mistake is in other lines, with other names, of other students' files.
Fields diagnostics(const Class &c) {
  using Key = std::tuple<std::string, std::string, std::string>;  // step, code, gist
  std::map<Key, Group> groups;
  for (const ClassStudent &s : c.students) {
    std::map<Key, const ClassDiagnostic *> mine;
    for (const ClassDiagnostic &d : s.diagnostics) mine.try_emplace({d.step, d.code, gist(d.cause)}, &d);
    for (const auto &[key, diagnostic] : mine) {
      Group &g = groups[key];
      ++g.students;
      // A page to look at is worth more than none.
      if (g.example == nullptr || (g.whose->link.empty() && !s.link.empty()))
        g.example = diagnostic, g.whose = &s;
    }
  }
  std::vector<std::pair<Key, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) { return a.second.students > b.second.students; });
  Fields list(Fields::type::list);
  for (std::size_t i = 0; i < std::min(sorted.size(), most_diagnostics); ++i) {
    const auto &[key, g] = sorted[i];
    Fields row;
    row.set("students", std::to_string(g.students));
    row.set("step", std::get<0>(key));
    row.set("code", std::get<1>(key));
    row.set("cause", g.example->cause.empty() ? "no cause was recognised" : g.example->cause);
    row.set("text", text_or_nothing(g.example->text));
    row.set("line", g.example->line > 0 ? std::to_string(g.example->line) : "");
    row.set("link", text_or_nothing(g.whose->link));
    row.set("example", g.whose->id);
    list << row;
  }
  return list;
}

}  // namespace

std::string class_to_html(const Class &c, const LivePage &live) {
  Fields page, steps(Fields::type::list), rows(Fields::type::list), spread(Fields::type::list);
  Json data = {{"assignment", for_json(c.assignment.name)},
               {"most_doubt", judge::most_doubt},
               {"unit", unit_of(c.assignment)},
               {"steps", Json::array()},
               {"students", Json::array()}};
  bool any_timed = false;
  for (const course::Step *s : graded_steps(c)) {
    Fields head;
    head.set("step", s->id);
    head.set("title", s->title);
    head.set("of", points(s->points.total()));
    steps << head;
    spread << distribution_row(c, *s);
    data["steps"].push_back(step_data(c, *s));
    any_timed |= data["steps"].back()["timed"].get<bool>();
  }
  std::vector<double> totals;
  std::size_t handed_in = 0, waiting = 0, looked_at = 0;
  bool named = false;
  for (std::size_t i = 0; i < c.students.size(); ++i) {
    const ClassStudent &s = c.students[i];
    rows << student_row(c, s, i);
    data["students"].push_back(student_data(c, s));
    handed_in += s.status != "not_submitted";
    named |= !s.name.empty();
    waiting += s.ungraded_points > 0;
    looked_at += s.status == "grader_error";
    if (counts(s)) totals.push_back(s.points);
  }
  data["mean"] = number(mean(totals));
  data["max_points"] = number(c.students.empty() ? 0 : c.students.front().max_points);
  page.set("assignment", c.assignment.name);
  page.set("title", c.assignment.title);
  page.set("device", c.device);
  page.set("without_gpu", text_or_nothing(c.without_gpu));
  page.set("thresholds", c.thresholds.file);
  page.set("students_count", std::to_string(c.students.size()));
  page.set("handed_in", std::to_string(handed_in));
  page.set("mean", fmt::format("{:.1f}", mean(totals)));
  page.set("median", fmt::format("{:.1f}", median(totals)));
  page.set("max_points", c.students.empty() ? "0" : points(c.students.front().max_points));
  page.set("waiting", text_or_nothing(waiting > 0 ? std::to_string(waiting) : ""));
  page.set("held", text_or_nothing(looked_at > 0 ? std::to_string(looked_at) : ""));
  page.set("steps", steps);
  page.set("spread", spread);
  page.set("students", rows);
  page.set("timed", any_timed);
  page.set("named", named);
  Fields errors = diagnostics(c);
  page.set("diagnostics_there", errors.is_non_empty_list());
  page.set("diagnostics", errors);
  const auto put_files = [&page](const std::string &name, const std::vector<ClassSharedFile> &files) {
    Fields list(Fields::type::list);
    for (const ClassSharedFile &file : files) {
      Fields row("whose", file.whose);
      row.set("alike", file.alike);
      list << row;
    }
    page.set(name + "_there", list.is_non_empty_list());
    page.set(name, list);
  };
  put_files("shared", c.shared_files);
  put_files("variants", c.of_other_variants);
  put_leaderboard(page, c);
  const bool is_live = !live.events.empty();
  std::vector<Script> scripts = {Script::chart_library, Script::charts, Script::class_page};
  if (is_live) {
    data["live"] = {{"events", live.events}, {"version", live.version}};
    scripts.push_back(Script::live);
  }
  return html_page(fmt::format("{}: class of {}", c.assignment.name, c.students.size()),
                   fill(class_template(), page), data, scripts, Forms::nowhere,
                   is_live ? Requests::to_this_server : Requests::none);
}

}  // namespace warpgrade::report
