#include <fmt/format.h>

#include <algorithm>

#include "judge/measure.hpp"
#include "report/html_class_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

const ClassStep *step_of(const ClassStudent &s, const std::string &id) {
  const auto found =
      std::find_if(s.steps.begin(), s.steps.end(), [&](const ClassStep &c) { return c.id == id; });
  return found == s.steps.end() ? nullptr : &*found;
}

std::vector<const course::Step *> graded_steps(const Class &c) {
  std::vector<const course::Step *> steps;
  for (const course::Step &s : c.assignment.steps)
    if (!s.beyond) steps.push_back(&s);
  for (const course::Step &exam : c.assignment.exams) steps.push_back(&exam);
  return steps;
}

bool timed(const Class &c, const course::Step &step) {
  return std::any_of(c.students.begin(), c.students.end(), [&](const ClassStudent &s) {
    const ClassStep *one = step_of(s, step.id);
    return one && one->rate;
  });
}

namespace {

/// A ranking: what it compares, and the students that have it, best first.
struct Board {
  std::string ranked_by, shows;
  std::vector<std::string> heads;
  struct Row {
    const ClassStudent *student;
    std::vector<double> keys;  ///< smaller is better, earlier ones first
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;
};

/// The step with the most points of a kind, of those that `offers`.
template <class Points, class Offers>
const course::Step *richest(const Class &c, Points points_of, Offers offers) {
  const course::Step *best = nullptr;
  for (const course::Step *s : graded_steps(c))
    if (offers(*s) && (!best || points_of(s->points) > points_of(best->points))) best = s;
  return best;
}

double for_speed(const course::Points &p) {
  return p.fast;
}

Board by_speed(const Class &c, const course::Step &by) {
  Board board{by.id, fmt::format("Median {}", by.problem->rate_unit()), {}, {}};
  std::vector<std::string> steps;
  for (const course::Step *s : graded_steps(c))
    if (timed(c, *s)) steps.push_back(s->id);
  board.heads = steps;
  board.heads.push_back(fmt::format("{} of {}", by.id, problem::name_of(by.problem->library())));
  for (const ClassStudent &s : c.students) {
    const ClassStep *ranking = step_of(s, by.id);
    if (!ranking || !ranking->rate) continue;
    Board::Row row{&s, {-ranking->rate->median}, {}};
    for (const std::string &id : steps) {
      const ClassStep *one = step_of(s, id);
      row.cells.push_back(one && one->rate ? fmt::format("{:.0f}", one->rate->median) : "");
    }
    row.cells.push_back(ranking->library
                            ? fmt::format("{:.1f} %", ranking->rate->median / ranking->library->median * 100)
                            : "");
    board.rows.push_back(std::move(row));
  }
  return board;
}

/// The step's limits, those with the most points first.
std::vector<course::CounterCheck> by_points(const course::Step &step) {
  std::vector<course::CounterCheck> checks = step.counter_checks;
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto &a, const auto &b) { return a.points > b.points; });
  return checks;
}

const score::CounterScore *counter_of(const ClassStep &step, const course::CounterCheck &check) {
  const auto found = std::find_if(step.counters.begin(), step.counters.end(),
                                  [&](const auto &c) { return c.check.measure == check.measure && c.value; });
  return found == step.counters.end() ? nullptr : &*found;
}

/// The counters of an accepted step in the order of `checks`; empty unless all were counted.
std::vector<double> counted(const ClassStep *step, const std::vector<course::CounterCheck> &checks) {
  std::vector<double> values;
  if (!step || step->verdict != judge::Verdict::accepted) return values;
  for (const course::CounterCheck &check : checks)
    if (const score::CounterScore *c = counter_of(*step, check)) values.push_back(*c->value);
  return values.size() == checks.size() ? values : std::vector<double>{};
}

bool anyone_counted(const Class &c, const course::Step &step) {
  const auto checks = by_points(step);
  return std::any_of(c.students.begin(), c.students.end(),
                     [&](const ClassStudent &s) { return !counted(step_of(s, step.id), checks).empty(); });
}

Board by_counters(const Class &c, const course::Step &by) {
  const auto checks = by_points(by);
  Board board{fmt::format("{} ({} first)", judge::in_words(checks.front().measure),
                          checks.front().at_least ? "highest" : "lowest"),
              "Counters of " + by.id,
              {},
              {}};
  for (const course::CounterCheck &check : checks) board.heads.push_back(judge::in_words(check.measure));
  for (const ClassStudent &s : c.students) {
    const std::vector<double> values = counted(step_of(s, by.id), checks);
    if (values.empty()) continue;
    Board::Row row{&s, {}, {}};
    for (std::size_t i = 0; i < checks.size(); ++i) {
      row.keys.push_back(checks[i].at_least ? -values[i] : values[i]);
      row.cells.push_back(figure(values[i]));
    }
    board.rows.push_back(std::move(row));
  }
  return board;
}

void put_board(Fields &page, Board board) {
  std::stable_sort(board.rows.begin(), board.rows.end(),
                   [](const Board::Row &a, const Board::Row &b) { return a.keys < b.keys; });
  Fields heads(Fields::type::list), rows(Fields::type::list);
  for (const std::string &head : board.heads) heads << Fields("head", head);
  std::size_t rank = 0;
  for (std::size_t i = 0; i < board.rows.size(); ++i) {
    const Board::Row &one = board.rows[i];
    if (i == 0 || board.rows[i - 1].keys != one.keys) rank = i + 1;
    Fields row, cells(Fields::type::list);
    row.set("rank", std::to_string(rank));
    row.set("pseudonym", one.student->pseudonym);
    for (std::size_t column = 0; column < one.cells.size(); ++column) {
      Fields cell;
      cell.set("head", board.heads[column]);
      cell.set("value", one.cells[column]);
      cells << cell;
    }
    row.set("cells", cells);
    rows << row;
  }
  page.set("leaderboard", !board.rows.empty());
  page.set("ranked_by", board.ranked_by);
  page.set("board_shows", board.shows);
  page.set("board_heads", heads);
  page.set("board", rows);
}

/// What an untimed class's leaderboard shows, and what is needed for speeds.
std::string why_not_timed(const Class &c, bool anyone_ranked) {
  const course::Step *later = richest(c, for_speed, [](const course::Step &s) { return s.points.fast > 0; });
  if (!later)
    return anyone_ranked ? "No step of this assignment is timed, so counters rank."
                         : "No step of this assignment is timed, so there is nothing to rank by.";
  return fmt::format(
      "Nothing has been timed yet: this class was graded on {}. Once it is graded on a GPU, this page ranks "
      "by "
      "the median {} of {}.{}",
      c.device, later->problem->rate_unit(), later->id, anyone_ranked ? " Until then, counters rank." : "");
}

}  // namespace

void put_leaderboard(Fields &page, const Class &c) {
  const course::Step *fast = richest(c, for_speed, [&](const course::Step &s) { return timed(c, s); });
  const course::Step *frugal =
      fast ? nullptr
           : richest(
                 c, [](const course::Points &p) { return p.counters; },
                 [&](const course::Step &s) { return !s.counter_checks.empty() && anyone_counted(c, s); });
  page.set("not_timed", text_or_nothing(fast ? "" : why_not_timed(c, frugal != nullptr)));
  put_board(page, fast ? by_speed(c, *fast) : frugal ? by_counters(c, *frugal) : Board{});
}

std::string leaderboard_to_html(const Class &c, const LivePage &live) {
  Fields page;
  const bool is_live = !live.events.empty();
  page.set("assignment", c.assignment.name);
  page.set("title", c.assignment.title);
  page.set("device", c.device);
  page.set("without_gpu", text_or_nothing(c.without_gpu));
  page.set("consent", std::any_of(c.students.begin(), c.students.end(),
                                  [](const ClassStudent &s) { return s.consents; }));
  page.set("live", is_live);
  put_leaderboard(page, c);
  Json data = Json::object();
  if (is_live) data["live"] = {{"events", live.events}, {"version", live.version}};
  return html_page(c.assignment.name + ": leaderboard", fill(leaderboard_template(), page), data,
                   is_live ? std::vector{Script::live} : std::vector<Script>{}, Forms::nowhere,
                   is_live ? Requests::to_this_server : Requests::none);
}

}  // namespace warpgrade::report
