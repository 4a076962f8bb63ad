// The order of the queue, and who gets what is next in it.
#include <algorithm>
#include <map>

#include "service/jobs.hpp"

namespace warpgrade::service {

namespace {

constexpr std::int64_t alive_seconds = 120;  // a process that grades says more often that it is there
constexpr double unknown_seconds = 5;        // of a part, before one of its step was graded

/// Queued parts in the order in which they are graded: students take turns, and parts that run count as
/// turns. One that is held has a phase.
/// Here and in other statements, `state < 2` has SQLite look at what is unfinished alone: the index
/// part_unfinished says so.
constexpr const char *in_order = R"sql(
  SELECT p.id, p.submission, s.student, s.assignment, p.step, p.file
  FROM part p JOIN submission s ON s.id = p.submission
  LEFT JOIN (SELECT r.student AS student, count(*) AS n FROM part q JOIN submission r ON r.id = q.submission
             WHERE q.state = 1 AND q.state < 2 GROUP BY r.student) b ON b.student = s.student
  LEFT JOIN served v ON v.student = s.student
  WHERE p.state = 0 AND p.state < 2 AND p.phase = ''
  ORDER BY row_number() OVER (PARTITION BY s.student ORDER BY p.id) + ifnull(b.n, 0), ifnull(v.turn, 0), p.id )sql";

}  // namespace

std::vector<Place> Jobs::queue(const std::function<bool(const std::string &)> &served) {
  batch::Database &db = store_.database();
  std::map<std::pair<std::string, std::string>, double> expected;  // assignment and step
  const auto seconds_of = [&](const std::string &assignment, const std::string &step) {
    const auto [place, fresh] = expected.emplace(std::pair(assignment, step), unknown_seconds);
    if (fresh) {
      batch::Statement recent = db.prepare(
          "SELECT avg(seconds) FROM (SELECT p.seconds FROM part p JOIN submission s ON s.id = p.submission "
          "WHERE s.assignment = ? AND p.step = ? AND p.seconds IS NOT NULL ORDER BY p.id DESC LIMIT 20)");
      if (recent.text(assignment).text(step).step() && !recent.null_at(0)) place->second = recent.real_at(0);
    }
    return place->second;
  };
  int at_a_time = 1;
  for (const GraderState &g : graders())
    if (g.ready && served(g.assignment)) at_a_time = std::max(at_a_time, g.slots);
  // How much a cluster takes at a time, what runs now says best.
  if (at_a_time >= slots_of_a_cluster) at_a_time = std::max(1, count(State::running));
  double before = 0;  // seconds of work ahead
  {
    batch::Statement running = db.prepare(
        "SELECT s.assignment, p.step FROM part p JOIN submission s ON s.id = p.submission WHERE p.state = 1 "
        "AND p.state < 2");
    std::vector<std::pair<std::string, std::string>> steps;
    while (running.step()) steps.emplace_back(running.text_at(0), running.text_at(1));
    for (const auto &[assignment, step] : steps)
      if (served(assignment)) before += seconds_of(assignment, step) / 2;  // on average
  }
  std::vector<Place> places;
  batch::Statement statement = db.prepare(in_order);
  while (statement.step()) {
    if (!served(statement.text_at(3))) continue;
    Place place{statement.integer_at(0), statement.integer_at(1), statement.text_at(2),
                statement.text_at(3),    statement.text_at(4),    static_cast<int>(places.size()),
                before / at_a_time};
    before += seconds_of(place.assignment, place.step);
    places.push_back(std::move(place));
  }
  return places;
}

int Jobs::count(State state) {
  batch::Statement statement =
      store_.database().prepare("SELECT count(*) FROM part WHERE state = ? AND state < 2");
  return statement.integer(static_cast<std::int64_t>(state)).step()
             ? static_cast<int>(statement.integer_at(0))
             : 0;
}

std::optional<Work> Jobs::claim(const std::string &assignment, int slots, std::int64_t now) {
  batch::Database &db = store_.database();
  {  // most of the time there is nothing, and asking must not wait for who writes
    batch::Statement any = db.prepare("SELECT 1 FROM part WHERE state = 0 AND state < 2 LIMIT 1");
    if (!any.step()) return std::nullopt;
  }
  std::optional<Work> work;
  store_.change([&] {
    if (count(State::running) >= slots) return;
    {
      // Work of an assignment whose process is not there, or cannot grade, must not hold others up.
      batch::Statement next = db.prepare(in_order);
      while (!work && next.step()) {
        const std::string of = next.text_at(3);
        if (of == assignment) {
          work =
              Work{next.integer_at(0), next.integer_at(1), next.text_at(2), next.text_at(4), next.text_at(5)};
          break;
        }
        batch::Statement other =
            db.prepare("SELECT ready AND seen > ? AND seen <= ? FROM grader WHERE assignment = ?");
        if (other.integer(now - alive_seconds).integer(now).text(of).step() && other.integer_at(0) != 0)
          break;  // its turn
      }
    }
    if (!work) return;
    db.prepare("UPDATE part SET state = 1, phase = '' WHERE id = ?").integer(work->part).run();
    db.prepare(
          "INSERT INTO served (student, turn) VALUES (?, (SELECT ifnull(max(turn), 0) + 1 FROM served)) "
          "ON CONFLICT DO UPDATE SET turn = excluded.turn")
        .text(work->student)
        .run();
  });
  return work;
}

std::vector<Work> Jobs::claim_file(const std::string &assignment, const std::string &step,
                                   const std::string &file) {
  std::vector<Work> all;
  batch::Database &db = store_.database();
  store_.change([&] {
    batch::Statement queued = db.prepare(
        "SELECT p.id, p.submission, s.student FROM part p JOIN submission s ON s.id = p.submission "
        "WHERE p.state = 0 AND p.state < 2 AND s.assignment = ? AND p.step = ? AND p.file = ? ORDER BY p.id");
    queued.text(assignment).text(step).text(file);
    while (queued.step())
      all.push_back({queued.integer_at(0), queued.integer_at(1), queued.text_at(2), step, file});
    for (const Work &work : all)
      db.prepare("UPDATE part SET state = 1, phase = '' WHERE id = ?").integer(work.part).run();
  });
  return all;
}

}  // namespace warpgrade::service
