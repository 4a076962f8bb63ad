#include "service/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "batch/content.hpp"

namespace warpgrade::service {

namespace {

constexpr std::int64_t hour = 3600, day = 86400;
constexpr std::int64_t alive_seconds = 120;  // a process that grades says more often that it is there
constexpr double unknown_seconds = 5;        // of a part, before one of its step was graded

/// Queued parts in the order in which they are graded: students take turns, and parts that run count as
/// turns.
/// Here and below, `state < 2` has SQLite look at what is unfinished alone: the index part_unfinished says
/// so.
constexpr const char *in_order = R"sql(
  SELECT p.id, p.submission, s.student, s.assignment, p.step, p.file
  FROM part p JOIN submission s ON s.id = p.submission
  LEFT JOIN (SELECT r.student AS student, count(*) AS n FROM part q JOIN submission r ON r.id = q.submission
             WHERE q.state = 1 AND q.state < 2 GROUP BY r.student) b ON b.student = s.student
  LEFT JOIN served v ON v.student = s.student
  WHERE p.state = 0 AND p.state < 2
  ORDER BY row_number() OVER (PARTITION BY s.student ORDER BY p.id) + ifnull(b.n, 0), ifnull(v.turn, 0), p.id )sql";

}  // namespace

bool Submission::done() const {
  return std::all_of(parts.begin(), parts.end(), [](const Part &p) { return p.state == State::done; });
}

std::optional<Refusal> Jobs::refuse(const std::string &student, const std::string &assignment, int parts,
                                    const Quota &quota, std::int64_t now) {
  const auto number = [](batch::Statement &statement) {
    return statement.step() ? statement.integer_at(0) : 0;
  };
  batch::Statement all = store_.database().prepare("SELECT count(*) FROM part WHERE state = 0 AND state < 2");
  if (number(all) + parts > quota.queue)
    return Refusal{"queue_full", "The queue is full. Nothing was submitted; try again in a minute.", 60};
  batch::Statement own = store_.database().prepare(
      "SELECT count(*) FROM part p JOIN submission s ON s.id = p.submission WHERE p.state < 2 AND s.student "
      "= ?");
  own.text(student);
  if (const auto queued = number(own); queued + parts > quota.queued)
    return Refusal{
        "too_many_queued",
        fmt::format("You have {} steps in the queue, and {} are allowed. Wait until some are graded.", queued,
                    quota.queued),
        15};
  for (const auto &[seconds, most, code, name] : {std::tuple{hour, quota.hour, "quota_hour", "an hour"},
                                                  std::tuple{day, quota.day, "quota_day", "a day"}}) {
    if (most == 0) continue;
    batch::Statement used = store_.database().prepare(
        "SELECT count(*), ifnull(min(s.received), 0) FROM part p JOIN submission s ON s.id = p.submission "
        "WHERE s.student = ? AND s.assignment = ? AND p.costs = 1 AND s.received > ?");
    used.text(student).text(assignment).integer(now - seconds);
    const std::int64_t runs = number(used), first = used.integer_at(1);
    if (runs + parts > most)
      return Refusal{
          code,
          fmt::format("You have used {} of {} graded steps {}. Nothing was submitted.", runs, most, name),
          std::clamp<std::int64_t>(first + seconds - now, 1, seconds)};
  }
  return std::nullopt;
}

Receipt Jobs::submit(const std::string &student, const std::string &assignment,
                     const std::vector<StepText> &steps, const Quota &quota, std::int64_t now) {
  std::string all = assignment;
  std::vector<std::pair<std::string, std::string>> files;  // step, hash
  for (const auto &[step, text] : steps) {
    files.emplace_back(step, batch::hash_of(text));
    all += fmt::format("\n{} {}", step, files.back().second);
  }
  const std::string hash = batch::hash_of(all);
  Receipt receipt;
  store_.change([&] {
    batch::Database &db = store_.database();
    batch::Statement current = db.prepare("SELECT fingerprint FROM grader WHERE assignment = ?");
    const std::string fingerprint = current.text(assignment).step() ? current.text_at(0) : "";
    const auto result_of = [&](const std::string &step, const std::string &file) {
      batch::Statement found = db.prepare(
          "SELECT p.record, p.points FROM part p JOIN submission s ON s.id = p.submission "
          "WHERE p.file = ? AND p.step = ? AND p.state = 2 AND p.fingerprint = ? AND p.fingerprint <> '' "
          "AND s.assignment = ? LIMIT 1");
      found.text(file).text(step).text(fingerprint).text(assignment);
      return found.step() ? std::optional(std::pair(found.text_at(0), found.real_at(1))) : std::nullopt;
    };
    {
      batch::Statement latest = db.prepare(
          "SELECT id, hash FROM submission WHERE student = ? AND assignment = ? ORDER BY id DESC LIMIT 1");
      if (latest.text(student).text(assignment).step() && latest.text_at(1) == hash) {
        receipt.submission = latest.integer_at(0);
        receipt.known = true;
        // Under other conditions than those of now, or after a failure of the grader, it is graded again.
        if (!fingerprint.empty())
          db.prepare(
                "UPDATE part SET state = 0, phase = '' WHERE submission = ? AND state = 2 AND fingerprint <> "
                "?")
              .integer(receipt.submission)
              .text(fingerprint)
              .run();
        return;
      }
    }
    std::vector<std::optional<std::pair<std::string, double>>> results;
    int runs = 0;
    for (const auto &[step, file] : files) {
      results.push_back(result_of(step, file));
      runs += results.back() ? 0 : 1;
    }
    if (runs > 0) receipt.refusal = refuse(student, assignment, runs, quota, now);
    if (receipt.refusal) return;
    db.prepare("INSERT INTO submission (student, assignment, received, hash) VALUES (?, ?, ?, ?)")
        .text(student)
        .text(assignment)
        .integer(now)
        .text(hash)
        .run();
    receipt.submission = db.last_id();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      db.prepare("INSERT INTO content (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")
          .text(files[i].second)
          .blob(batch::compressed(steps[i].second))
          .run();
      batch::Statement part = db.prepare(
          "INSERT INTO part (submission, step, file, state, costs, fingerprint, points, record) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
      part.integer(receipt.submission).text(files[i].first).text(files[i].second);
      if (results[i])
        part.integer(2).integer(0).text(fingerprint).real(results[i]->second).blob(results[i]->first);
      else
        part.integer(0).integer(1).text("");
      part.run();
    }
  });
  return receipt;
}

std::vector<Part> Jobs::parts_of(std::int64_t submission, bool with_records) {
  std::vector<Part> parts;
  batch::Statement statement = store_.database().prepare(fmt::format(
      "SELECT id, step, file, state, phase, ifnull(points, 0){} FROM part WHERE submission = ? ORDER BY id",
      with_records ? ", record" : ""));
  statement.integer(submission);
  while (statement.step()) {
    Part part{statement.integer_at(0),
              submission,
              statement.text_at(1),
              statement.text_at(2),
              static_cast<State>(statement.integer_at(3)),
              statement.text_at(4),
              "",
              statement.real_at(5)};
    if (with_records && part.state == State::done && !statement.null_at(6))
      part.record = batch::expanded(statement.text_at(6));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::optional<Submission> Jobs::submission(std::int64_t id) {
  Submission s;
  {
    batch::Statement statement =
        store_.database().prepare("SELECT id, student, assignment, received FROM submission WHERE id = ?");
    if (!statement.integer(id).step()) return std::nullopt;
    s = {id, statement.text_at(1), statement.text_at(2), statement.integer_at(3), {}};
  }
  s.parts = parts_of(id, true);
  return s;
}

std::vector<Submission> Jobs::submissions_of(const std::string &student, const std::string &assignment,
                                             int most) {
  std::vector<Submission> found;
  {
    batch::Statement statement = store_.database().prepare(
        "SELECT id, assignment, received FROM submission WHERE student = ? AND (assignment = ? OR ? = '') "
        "ORDER BY id DESC LIMIT ?");
    statement.text(student).text(assignment).text(assignment).integer(most);
    while (statement.step())
      found.push_back({statement.integer_at(0), student, statement.text_at(1), statement.integer_at(2), {}});
  }
  for (Submission &s : found) s.parts = parts_of(s.id, false);
  return found;
}

std::vector<std::pair<Part, std::int64_t>> Jobs::parts_of(const std::string &student,
                                                          const std::string &assignment) {
  std::vector<std::pair<Part, std::int64_t>> parts;
  batch::Statement statement = store_.database().prepare(
      "SELECT p.id, p.submission, p.step, p.file, p.state, ifnull(p.points, 0), s.received FROM part p "
      "JOIN submission s ON s.id = p.submission WHERE s.student = ? AND s.assignment = ? ORDER BY p.id DESC");
  statement.text(student).text(assignment);
  while (statement.step())
    parts.emplace_back(
        Part{statement.integer_at(0), statement.integer_at(1), statement.text_at(2), statement.text_at(3),
             static_cast<State>(statement.integer_at(4)), "", "", statement.real_at(5)},
        statement.integer_at(6));
  return parts;
}

std::string Jobs::content(const std::string &hash) {
  batch::Statement statement = store_.database().prepare("SELECT bytes FROM content WHERE hash = ?");
  return statement.text(hash).step() ? batch::expanded(statement.text_at(0)) : "";
}

std::vector<Place> Jobs::queue() {
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
  batch::Statement slots_of = db.prepare("SELECT max(slots) FROM grader WHERE ready = 1");
  const auto slots = slots_of.step() ? std::max<std::int64_t>(1, slots_of.integer_at(0)) : 1;
  double before = 0;  // seconds of work ahead
  {
    batch::Statement running = db.prepare(
        "SELECT s.assignment, p.step FROM part p JOIN submission s ON s.id = p.submission WHERE p.state = 1 "
        "AND p.state < 2");
    std::vector<std::pair<std::string, std::string>> steps;
    while (running.step()) steps.emplace_back(running.text_at(0), running.text_at(1));
    for (const auto &[assignment, step] : steps) before += seconds_of(assignment, step) / 2;  // on average
  }
  std::vector<Place> places;
  batch::Statement statement = db.prepare(in_order);
  while (statement.step()) {
    Place place{statement.integer_at(0),
                statement.integer_at(1),
                statement.text_at(2),
                statement.text_at(3),
                statement.text_at(4),
                static_cast<int>(places.size()),
                before / static_cast<double>(slots)};
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

std::vector<Part> Jobs::failures(int most) {
  std::vector<Part> parts;
  batch::Statement statement = store_.database().prepare(
      "SELECT id, submission, step, file FROM part WHERE state = 2 AND fingerprint = '' ORDER BY id DESC "
      "LIMIT ?");
  statement.integer(most);
  while (statement.step())
    parts.push_back({statement.integer_at(0), statement.integer_at(1), statement.text_at(2),
                     statement.text_at(3), State::done, "", "", 0});
  return parts;
}

std::vector<Part> Jobs::latest_runs(const std::string &assignment, int most) {
  std::vector<Part> parts;
  batch::Statement statement = store_.database().prepare(
      "SELECT p.id, p.submission, p.step, p.file, p.record FROM part p JOIN submission s ON s.id = "
      "p.submission "
      "WHERE s.assignment = ? AND p.state = 2 AND p.seconds IS NOT NULL ORDER BY p.id DESC LIMIT ?");
  statement.text(assignment).integer(most);
  while (statement.step())
    parts.push_back({statement.integer_at(0), statement.integer_at(1), statement.text_at(2),
                     statement.text_at(3), State::done, "", batch::expanded(statement.text_at(4)), 0});
  return parts;
}

void Jobs::announce(const GraderState &g) {
  store_.change([&] {
    store_.database()
        .prepare(
            "INSERT INTO grader (assignment, ready, detail, device, fingerprint, slots, seen) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ready = excluded.ready, "
            "detail = excluded.detail, device = excluded.device, fingerprint = excluded.fingerprint, "
            "slots = excluded.slots, seen = excluded.seen")
        .text(g.assignment)
        .integer(g.ready ? 1 : 0)
        .text(g.detail)
        .text(g.device)
        .text(g.fingerprint)
        .integer(g.slots)
        .integer(g.seen)
        .run();
  });
}

std::vector<GraderState> Jobs::graders() {
  std::vector<GraderState> graders;
  batch::Statement statement = store_.database().prepare(
      "SELECT assignment, ready, detail, device, fingerprint, slots, seen FROM grader ORDER BY assignment");
  while (statement.step())
    graders.push_back({statement.text_at(0), statement.integer_at(1) != 0, statement.text_at(2),
                       statement.text_at(3), statement.text_at(4), static_cast<int>(statement.integer_at(5)),
                       statement.integer_at(6)});
  return graders;
}

std::vector<std::int64_t> Jobs::untaken(const std::string &assignment) {
  std::vector<std::int64_t> ids;
  batch::Statement statement =
      store_.database().prepare("SELECT id FROM submission WHERE assignment = ? AND taken = 0 ORDER BY id");
  statement.text(assignment);
  while (statement.step()) ids.push_back(statement.integer_at(0));
  return ids;
}

void Jobs::taken(std::int64_t submission) {
  store_.change([&] {
    store_.database().prepare("UPDATE submission SET taken = 1 WHERE id = ?").integer(submission).run();
  });
}

std::optional<Work> Jobs::claim(const std::string &assignment, int slots) {
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
        batch::Statement other = db.prepare(
            "SELECT ready AND seen > (SELECT max(seen) FROM grader) - ? FROM grader WHERE assignment = ?");
        if (other.integer(alive_seconds).text(of).step() && other.integer_at(0) != 0) break;  // its turn
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

void Jobs::phase(std::int64_t part, const std::string &words) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE part SET phase = ? WHERE id = ? AND state = 1")
        .text(words)
        .integer(part)
        .run();
  });
}

void Jobs::finish(std::int64_t part, const std::string &record, double points, double seconds,
                  const std::string &fingerprint) {
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE part SET state = 2, phase = '', record = ?, points = ?, seconds = nullif(?, 0), "
            "fingerprint = ? WHERE id = ? AND state = 1")
        .blob(batch::compressed(record))
        .real(points)
        .real(seconds)
        .text(fingerprint)
        .integer(part)
        .run();
  });
}

void Jobs::score_again(const std::string &assignment,
                       const std::function<double(const std::string &record)> &points_of) {
  std::vector<std::pair<std::int64_t, double>> fresh;
  {  // outside of the transaction, since students submit meanwhile
    batch::Statement statement = store_.database().prepare(
        "SELECT p.id, p.record, p.points FROM part p JOIN submission s ON s.id = p.submission "
        "WHERE s.assignment = ? AND p.state = 2 AND p.record IS NOT NULL");
    statement.text(assignment);
    while (statement.step())
      if (const double points = points_of(batch::expanded(statement.text_at(1)));
          points != statement.real_at(2))
        fresh.emplace_back(statement.integer_at(0), points);
  }
  store_.change([&] {
    for (const auto &[part, points] : fresh)
      store_.database()
          .prepare("UPDATE part SET points = ? WHERE id = ? AND state = 2")
          .real(points)
          .integer(part)
          .run();
  });
}

void Jobs::put_back(const std::string &assignment) {
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE part SET state = 0, phase = '' WHERE state = 1 AND submission IN "
            "(SELECT id FROM submission WHERE assignment = ?)")
        .text(assignment)
        .run();
  });
}

void Jobs::release(std::int64_t part) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE part SET state = 0, phase = '' WHERE id = ? AND state = 1")
        .integer(part)
        .run();
  });
}

void Jobs::queue_again(const std::string &assignment, const std::string &step, const std::string &file) {
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE part SET state = 0, phase = '' WHERE state = 2 AND step = ? AND file = ? AND submission "
            "IN "
            "(SELECT id FROM submission WHERE assignment = ?)")
        .text(step)
        .text(file)
        .text(assignment)
        .run();
  });
}

}  // namespace warpgrade::service
