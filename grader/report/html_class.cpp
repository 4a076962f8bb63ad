#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/statistics.hpp"
#include "report/class.hpp"
#include "report/fixes.hpp"
#include "report/html_page.hpp"
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

/// Who the means and medians of the page are about: nothing was handed in by some, and others are not graded
/// yet.
bool counts(const ClassStudent &s) {
  return s.status != "not_submitted" && s.status != "pending";
}

const ClassStep *step_of(const ClassStudent &s, const std::string &id) {
  const auto found =
      std::find_if(s.steps.begin(), s.steps.end(), [&](const ClassStep &c) { return c.id == id; });
  return found == s.steps.end() ? nullptr : &*found;
}

/// The steps that the course asks for.
std::vector<const course::Step *> graded(const Class &c) {
  std::vector<const course::Step *> steps;
  for (const course::Step &s : c.assignment.steps)
    if (!s.beyond) steps.push_back(&s);
  return steps;
}

bool timed(const Class &c, const course::Step &step) {
  return std::any_of(c.students.begin(), c.students.end(), [&](const ClassStudent &s) {
    const ClassStep *one = step_of(s, step.id);
    return one && one->rate;
  });
}

// --- what the script computes with

Json threshold(const course::Threshold &t) {
  return {{"value", number(t.value)}, {"cublas", t.of_cublas}};
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
    j["pass"] = threshold(t->pass);
    j["full"] = threshold(t->full);
  }
  return j;
}

/// Which column of the table of results, from 0: full points, right, wrong, not done, held by us. -1: not yet
/// graded.
int outcome(const ClassStep *step) {
  if (!step || !step->verdict) return -1;
  const std::string_view badge = badge_of(*step->verdict);
  if (badge == "PASS") return step->points + step->ungraded_points >= step->max_points ? 0 : 1;
  return badge == "FAIL" ? 2 : badge == "OPEN" ? 3 : 4;
}

Json student_data(const Class &c, const ClassStudent &s) {
  Json steps = Json::array();
  for (const course::Step *step : graded(c)) {
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
    if (one->cublas) j["c"] = {number(one->cublas->median), number(one->cublas->low)};
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
  for (const course::Step *step : graded(c)) {
    Fields cell;
    const ClassStep *one = step_of(s, step->id);
    const bool known = one && one->verdict;
    cell.set("badge", known ? std::string(badge_of(*one->verdict)) : "OPEN");
    cell.set("sign", known ? std::string(sign(*one)) : "");
    // One word of what an accepted step needs none for.
    cell.set("verdict", !known ? "not yet graded"
                        : *one->verdict == judge::Verdict::accepted
                            ? ""
                            : std::string(judge::name_of(*one->verdict)));
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
  std::string example;  ///< a link
  std::string example_id;
  std::map<int, std::size_t> lines;
};

Fields diagnostics(const Class &c) {
  // By the line's text, since the same line stands elsewhere in another student's file; by number without
  // one.
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const ClassStudent &s : c.students) {
    std::map<std::tuple<std::string, std::string, std::string>, int> mine;
    for (const ClassDiagnostic &d : s.diagnostics)
      mine.try_emplace(
          {d.step, d.code, d.text.empty() && d.line > 0 ? fmt::format("line {}", d.line) : d.text}, d.line);
    for (const auto &[key, line] : mine) {
      Group &g = groups[key];
      ++g.students;
      ++g.lines[line];
      if (g.example_id.empty()) g.example = s.link, g.example_id = s.id;
    }
  }
  std::vector<std::pair<std::tuple<std::string, std::string, std::string>, Group>> sorted(groups.begin(),
                                                                                          groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) { return a.second.students > b.second.students; });
  Fields list(Fields::type::list);
  for (std::size_t i = 0; i < std::min(sorted.size(), most_diagnostics); ++i) {
    const auto &[key, g] = sorted[i];
    Fields row;
    row.set("students", std::to_string(g.students));
    row.set("step", std::get<0>(key));
    row.set("code", std::get<1>(key));
    row.set("text", std::get<2>(key));
    row.set("lines", g.lines.begin()->first == 0 ? ""
                     : g.lines.size() == 1
                         ? std::to_string(g.lines.begin()->first)
                         : fmt::format("{} to {}", g.lines.begin()->first, g.lines.rbegin()->first));
    row.set("link", text_or_nothing(g.example));
    row.set("example", g.example_id);
    list << row;
  }
  return list;
}

/// The step that ranks the leaderboard: of the timed ones the one that gives most for speed.
const course::Step *ranking_step(const Class &c) {
  const course::Step *best = nullptr;
  for (const course::Step *s : graded(c))
    if (timed(c, *s) && (!best || s->points.fast > best->points.fast)) best = s;
  return best;
}

void put_leaderboard(Fields &page, const Class &c) {
  const course::Step *by = ranking_step(c);
  page.set("leaderboard", by != nullptr);
  page.set("ranked_by", by ? by->id : "");
  page.set("unit", by ? std::string(by->problem->rate_unit()) : "");
  const course::Step *later = nullptr;  // that will rank
  for (const course::Step *s : graded(c))
    if (s->points.fast > 0 && (!later || s->points.fast > later->points.fast)) later = s;
  page.set("what_will_come",
           later
               ? fmt::format("Nothing was timed yet: this class was graded on {}. Once it is graded on a GPU "
                             "('gradebook run' with --device gpu), this page ranks by the median {} of {}.",
                             c.device, later->problem->rate_unit(), later->id)
               : "No step of this assignment is timed, so there is nothing to rank by.");
  std::vector<const course::Step *> steps;
  for (const course::Step *s : graded(c))
    if (timed(c, *s)) steps.push_back(s);
  Fields heads(Fields::type::list), rows(Fields::type::list);
  for (const course::Step *s : steps) heads << Fields("step", s->id);
  std::vector<const ClassStudent *> ranked;
  for (const ClassStudent &s : c.students)
    if (by && step_of(s, by->id) && step_of(s, by->id)->rate) ranked.push_back(&s);
  std::stable_sort(ranked.begin(), ranked.end(), [&](const ClassStudent *a, const ClassStudent *b) {
    return step_of(*a, by->id)->rate->median > step_of(*b, by->id)->rate->median;
  });
  std::size_t rank = 0;
  for (const ClassStudent *s : ranked) {
    Fields row, cells(Fields::type::list);
    row.set("rank", std::to_string(++rank));
    row.set("pseudonym", s->pseudonym);
    for (const course::Step *step : steps) {
      const ClassStep *one = step_of(*s, step->id);
      cells << Fields("gflops", one && one->rate ? fmt::format("{:.0f}", one->rate->median) : "");
    }
    row.set("cells", cells);
    const ClassStep *one = step_of(*s, by->id);
    row.set("of_cublas",
            one->cublas ? fmt::format("{:.1f} %", one->rate->median / one->cublas->median * 100) : "");
    rows << row;
  }
  page.set("board_steps", heads);
  page.set("board", rows);
}

}  // namespace

std::string class_to_html(const Class &c) {
  Fields page, steps(Fields::type::list), rows(Fields::type::list), spread(Fields::type::list);
  Json data = {{"assignment", for_json(c.assignment.name)},
               {"most_doubt", judge::most_doubt},
               {"unit", unit_of(c.assignment)},
               {"steps", Json::array()},
               {"students", Json::array()}};
  bool any_timed = false;
  for (const course::Step *s : graded(c)) {
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
  put_leaderboard(page, c);
  return html_page(fmt::format("{}: class of {}", c.assignment.name, c.students.size()),
                   fill(class_template(), page), data,
                   {Script::chart_library, Script::charts, Script::class_page});
}

std::string leaderboard_to_html(const Class &c) {
  Fields page;
  page.set("assignment", c.assignment.name);
  page.set("title", c.assignment.title);
  page.set("device", c.device);
  put_leaderboard(page, c);
  return html_page(c.assignment.name + ": leaderboard", fill(leaderboard_template(), page), Json::object(),
                   {});
}

}  // namespace warpgrade::report
