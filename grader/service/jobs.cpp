#include "service/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "batch/content.hpp"
#include "variants/variants.hpp"

namespace warpgrade::service {

namespace {

constexpr std::int64_t hour = 3600, day = 86400;

/// With its record as it is stored.
std::optional<StepResult> stored_result(batch::Database &db, const std::string &assignment,
                                        const std::string &step, const std::string &file,
                                        const std::string &fingerprint) {
  batch::Statement found = db.prepare(
      "SELECT p.record, p.points, ifnull(p.seconds, 0) FROM part p JOIN submission s ON s.id = p.submission "
      "WHERE p.file = ? AND p.step = ? AND p.state = 2 AND p.fingerprint = ? AND p.fingerprint <> '' "
      "AND s.assignment = ? ORDER BY p.seconds IS NULL, p.id DESC LIMIT 1");
  if (!found.text(file).text(step).text(fingerprint).text(assignment).step()) return std::nullopt;
  return StepResult{found.text_at(0), found.real_at(1), found.real_at(2)};
}

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
        "WHERE s.student = ? AND s.assignment = ? AND p.costs = 1 AND s.received > ? AND s.received <= ?");
    // What a clock that was set back has in the future must not be held against anybody.
    used.text(student).text(assignment).integer(now - seconds).integer(now);
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
    std::vector<std::optional<StepResult>> results;
    int runs = 0;
    for (const auto &[step, file] : files) {
      results.push_back(stored_result(db, assignment, step, file, fingerprint));
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
        part.integer(2).integer(0).text(fingerprint).real(results[i]->points).blob(results[i]->record);
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
  if (!s.parts.empty()) s.variant = variant_of(s.parts.front().file);
  return s;
}

std::vector<Submission> Jobs::submissions_of(const std::string &student, const std::string &assignment,
                                             int most, std::int64_t before) {
  std::vector<Submission> found;
  {
    batch::Statement statement = store_.database().prepare(
        "SELECT id, assignment, received FROM submission WHERE student = ? AND (assignment = ? OR ? = '') "
        "AND (id < ? OR ? = 0) ORDER BY id DESC LIMIT ?");
    statement.text(student).text(assignment).text(assignment).integer(before).integer(before).integer(most);
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

std::string Jobs::variant_of(const std::string &hash) {
  return variants::unmarked(content(hash)).variant;
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

std::string Jobs::why_waiting(const std::string &assignment) {
  batch::Statement statement = store_.database().prepare("SELECT ready FROM grader WHERE assignment = ?");
  if (!statement.text(assignment).step() || statement.integer_at(0) != 0) return "";
  return fmt::format(
      "{} cannot be graded at the moment; the course staff can see why. Your submission is safe and waits.",
      assignment);
}

std::string Jobs::why_waiting(const Submission &s) {
  if (std::string why = why_waiting(s.assignment); !why.empty()) return why;
  if (std::none_of(s.parts.begin(), s.parts.end(), [](const Part &p) { return p.held(); })) return "";
  return fmt::format(
      "Your variant of {} cannot be graded at the moment. This is our mistake, not yours; the course staff "
      "can "
      "see what is wrong. Your submission is safe and waits.",
      s.assignment);
}

std::vector<Held> Jobs::held() {
  std::vector<Held> all;
  batch::Statement statement = store_.database().prepare(
      "SELECT s.assignment, p.phase, count(*), count(DISTINCT s.student) FROM part p JOIN submission s ON "
      "s.id = "
      "p.submission WHERE p.state = 0 AND p.state < 2 AND p.phase <> '' GROUP BY s.assignment, p.phase ORDER "
      "BY "
      "s.assignment, p.phase");
  while (statement.step())
    all.push_back({statement.text_at(0), statement.text_at(1), static_cast<int>(statement.integer_at(2)),
                   static_cast<int>(statement.integer_at(3))});
  return all;
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

void Jobs::take_in_again(const std::string &assignment,
                         const std::function<bool(std::int64_t, const std::string &)> &known) {
  std::vector<std::int64_t> lost;
  {
    batch::Statement statement = store_.database().prepare(
        "SELECT id, student FROM submission WHERE assignment = ? AND taken = 1 ORDER BY id");
    statement.text(assignment);
    while (statement.step())
      if (!known(statement.integer_at(0), statement.text_at(1))) lost.push_back(statement.integer_at(0));
  }
  if (lost.empty()) return;
  store_.change([&] {
    for (const std::int64_t id : lost)
      store_.database().prepare("UPDATE submission SET taken = 0 WHERE id = ?").integer(id).run();
  });
}

std::optional<StepResult> Jobs::result_of(const std::string &assignment, const std::string &step,
                                          const std::string &file, const std::string &fingerprint) {
  std::optional<StepResult> result = stored_result(store_.database(), assignment, step, file, fingerprint);
  if (result) result->record = batch::expanded(result->record);
  return result;
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
                       const std::function<std::optional<double>(const std::string &record,
                                                                 const std::string &file)> &points_of) {
  std::vector<std::pair<std::int64_t, double>> fresh;
  {  // outside of the transaction, since students submit meanwhile
    batch::Statement statement = store_.database().prepare(
        "SELECT p.id, p.record, p.points, p.file FROM part p JOIN submission s ON s.id = p.submission "
        "WHERE s.assignment = ? AND p.state = 2 AND p.record IS NOT NULL");
    statement.text(assignment);
    while (statement.step())
      if (const auto points = points_of(batch::expanded(statement.text_at(1)), statement.text_at(3));
          points && *points != statement.real_at(2))
        fresh.emplace_back(statement.integer_at(0), *points);
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
            "UPDATE part SET state = 0, phase = '' WHERE state < 2 AND (state = 1 OR phase <> '') AND "
            "submission IN "
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

void Jobs::hold(std::int64_t part, const std::string &why) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE part SET state = 0, phase = ? WHERE id = ? AND state = 1")
        .text(why)
        .integer(part)
        .run();
  });
}

void Jobs::queue_again(const std::string &assignment, const std::string &step, const std::string &file,
                       const std::string &student) {
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE part SET state = 0, phase = '' WHERE state = 2 AND step = ?1 AND file = ?2 AND "
            "submission "
            "IN (SELECT id FROM submission WHERE assignment = ?3 AND (student = ?4 OR ?4 = ''))")
        .text(step)
        .text(file)
        .text(assignment)
        .text(student)
        .run();
  });
}

bool Jobs::replace_result(const std::string &assignment, const std::string &student, const std::string &step,
                          const std::string &file, const std::string &record, double points,
                          const std::string &fingerprint) {
  const std::string bytes = batch::compressed(record);
  const auto where = [&](batch::Statement statement) {
    statement.blob(bytes).real(points).text(fingerprint).text(step).text(file).text(assignment).text(student);
    return statement;
  };
  const std::string others =
      "WHERE state = 2 AND step = ?4 AND file = ?5 AND submission IN (SELECT id FROM submission WHERE "
      "assignment = ?6 AND student = ?7) AND (record IS NOT ?1 OR points IS NOT ?2 OR fingerprint <> ?3)";
  // Looked at first: most are as they are, and a change waits for the disk.
  if (!where(store_.database().prepare("SELECT 1 FROM part " + others)).step()) return false;
  store_.change([&] {
    where(store_.database().prepare("UPDATE part SET record = ?1, points = ?2, fingerprint = ?3 " + others))
        .run();
  });
  return true;
}

}  // namespace warpgrade::service
