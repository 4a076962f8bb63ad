#include "service/workspace/trials.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "batch/content.hpp"
#include "service/jobs.hpp"

namespace warpgrade::service {

namespace {

constexpr const char *trial_columns =
    "id, draft, person, assignment, step, kind, state, asked, phase, record, page, why, seconds, file";
constexpr std::int64_t hour = 3600;
constexpr int most_trials = 500;              // of a person's step
constexpr std::int64_t recent_seconds = 120;  // in which somebody's runs count against the next one

std::string expanded_or_empty(batch::Statement &row, int column) {
  const std::string bytes = row.text_at(column);
  return bytes.empty() ? "" : batch::expanded(bytes);
}

Trial trial_at(batch::Statement &row) {
  Trial t;
  t.id = row.integer_at(0), t.draft = row.integer_at(1);
  t.person = row.text_at(2), t.assignment = row.text_at(3), t.step = row.text_at(4);
  t.kind = static_cast<TrialKind>(row.integer_at(5));
  t.state = static_cast<TrialState>(row.integer_at(6));
  t.asked = row.integer_at(7);
  t.phase = row.text_at(8);
  t.record = expanded_or_empty(row, 9), t.page = expanded_or_empty(row, 10);
  t.why = row.text_at(11);
  t.seconds = row.real_at(12);
  t.file = row.text_at(13);
  return t;
}

/// Whose trials of which step and kind.
constexpr const char *of_step = "person = ? AND assignment = ? AND step = ? AND kind = ?";

batch::Statement &bind(batch::Statement &statement, const TrialsOf &of) {
  return statement.text(of.person)
      .text(of.assignment)
      .text(of.step)
      .integer(static_cast<std::int64_t>(of.kind));
}

batch::Statement &compressed_or_empty(batch::Statement &statement, const std::string &text) {
  return statement.blob(text.empty() ? "" : batch::compressed(text));
}

}  // namespace

std::optional<Trial> Trials::same_before(const Wish &wish, const std::string &hash) {
  const std::optional<TrialRunner> now = runner(wish.of.assignment);
  if (!now || now->fingerprint.empty()) return std::nullopt;
  batch::Statement row = store_.database().prepare(fmt::format(
      R"sql(SELECT {} FROM trial WHERE file = ? AND assignment = ? AND step = ? AND kind = ? AND state = 2 AND fingerprint = ?
      AND length(CASE kind WHEN 0 THEN record ELSE page END) > 0 ORDER BY id DESC LIMIT 1)sql",
      trial_columns));
  row.text(hash).text(wish.of.assignment).text(wish.of.step).integer(static_cast<std::int64_t>(wish.of.kind));
  if (!row.text(now->fingerprint).step()) return std::nullopt;
  return trial_at(row);
}

std::int64_t Trials::under_way(const Wish &wish, const std::string &hash) {
  batch::Statement same = store_.database().prepare(
      fmt::format("SELECT id FROM trial WHERE {} AND file = ? AND state < 2", of_step));
  return bind(same, wish.of).text(hash).step() ? same.integer_at(0) : 0;
}

std::int64_t Trials::time_used_until(const std::string &person, double seconds_an_hour, std::int64_t now) {
  batch::Statement used = store_.database().prepare(
      "SELECT ifnull(sum(seconds), 0), ifnull(min(asked), 0) FROM trial WHERE person = ? AND asked > ? AND "
      "seconds > 0");
  if (!used.text(person).integer(now - hour).step() || used.real_at(0) < seconds_an_hour) return 0;
  return std::max(now + 1, used.integer_at(1) + hour);
}

Asked Trials::ask(const Wish &wish, double seconds_an_hour, std::int64_t now) {
  Asked asked;
  const std::string hash = batch::hash_of(wish.bytes);
  store_.change([&] {
    asked.trial = under_way(wish, hash);  // pressed twice
    if (asked.trial != 0) return drop_queued(wish.of, asked.trial);
    const std::optional<Trial> before = same_before(wish, hash);
    if (!before && seconds_an_hour > 0)
      if (const std::int64_t until = time_used_until(wish.of.person, seconds_an_hour, now); until != 0) {
        asked.retry_after = until - now;
        return;
      }
    if (const auto last = latest(wish.of);
        before && last && last->id == before->id && before->draft == wish.draft) {
      asked.trial = before->id;
      return;
    }
    drop_queued(wish.of, 0);
    batch::Statement row = store_.database().prepare(
        R"sql(INSERT INTO trial (person, assignment, step, kind, draft, file, bytes, asked, state, record, page, why, fingerprint)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT fingerprint FROM trial WHERE id = ?)))sql");
    bind(row, wish.of).integer(wish.draft).text(hash);
    compressed_or_empty(row, before ? "" : wish.bytes);
    row.integer(now).integer(static_cast<std::int64_t>(before ? TrialState::done : TrialState::queued));
    compressed_or_empty(row, before ? before->record : "");
    compressed_or_empty(row, before ? before->page : "");
    row.text(before ? before->why : "").integer(before ? before->id : 0).run();
    asked.trial = store_.database().last_id();
    forget(wish.of, asked.trial, now);
  });
  return asked;
}

std::optional<Trial> Trials::find(std::int64_t id) {
  batch::Statement row =
      store_.database().prepare(fmt::format("SELECT {} FROM trial WHERE id = ?", trial_columns));
  if (!row.integer(id).step()) return std::nullopt;
  return trial_at(row);
}

std::optional<Trial> Trials::latest(const TrialsOf &of) {
  batch::Statement row = store_.database().prepare(
      fmt::format("SELECT {} FROM trial WHERE {} ORDER BY id DESC LIMIT 1", trial_columns, of_step));
  if (!bind(row, of).step()) return std::nullopt;
  return trial_at(row);
}

std::optional<Trial> Trials::of_version(std::int64_t draft) {
  batch::Statement row = store_.database().prepare(
      fmt::format("SELECT {} FROM trial WHERE draft = ? AND kind = 0 AND state = 2 ORDER BY id DESC LIMIT 1",
                  trial_columns));
  if (!row.integer(draft).step()) return std::nullopt;
  return trial_at(row);
}

int Trials::ahead_of(const Trial &trial) {
  if (trial.state != TrialState::queued) return 0;
  batch::Statement row =
      store_.database().prepare("SELECT count(*) FROM trial WHERE state = 0 AND assignment = ? AND id < ?");
  return row.text(trial.assignment).integer(trial.id).step() ? static_cast<int>(row.integer_at(0)) : 0;
}

bool Trials::others_wait(const std::string &person, const std::string &assignment) {
  // What waits for a grader that is not there waits for nothing of ours.
  batch::Statement any = store_.database().prepare(
      "SELECT EXISTS (SELECT 1 FROM trial WHERE state = 0 AND assignment = ?1 AND person <> ?2 AND kind <> "
      "2) OR EXISTS (SELECT 1 "
      "FROM part p JOIN submission s ON s.id = p.submission JOIN grader g ON g.assignment = s.assignment "
      "WHERE p.state = 0 AND "
      "g.ready <> 0 AND g.slots < ?3 AND s.assignment = ?1)");
  any.text(assignment).text(person).integer(slots_of_a_cluster);
  return any.step() && any.integer_at(0) != 0;
}

void Trials::announce(const std::string &assignment, const TrialRunner &runner) {
  store_.change([&] {
    store_.database()
        .prepare(
            "INSERT OR REPLACE INTO trial_runner (assignment, ready, detail, device, fingerprint, seen) "
            "VALUES (?, ?, "
            "?, ?, ?, ?)")
        .text(assignment)
        .integer(runner.ready ? 1 : 0)
        .text(runner.detail)
        .text(runner.device)
        .text(runner.fingerprint)
        .integer(runner.seen)
        .run();
  });
}

std::optional<TrialRunner> Trials::runner(const std::string &assignment) {
  batch::Statement row = store_.database().prepare(
      "SELECT ready, detail, device, fingerprint, seen FROM trial_runner WHERE assignment = ?");
  if (!row.text(assignment).step()) return std::nullopt;
  return TrialRunner{row.integer_at(0) != 0, row.text_at(1), row.text_at(2), row.text_at(3),
                     row.integer_at(4)};
}

std::optional<Trial> Trials::claim(const std::string &assignment, std::int64_t now) {
  batch::Database &db = store_.database();
  {  // most of the time there is nothing, and asking must not wait for who writes
    batch::Statement any = db.prepare("SELECT 1 FROM trial WHERE state = 0 AND assignment = ? LIMIT 1");
    if (!any.text(assignment).step()) return std::nullopt;
  }
  std::optional<Trial> trial;
  store_.change([&] {
    {
      batch::Statement next = db.prepare(fmt::format(
          R"sql(SELECT {} FROM trial t WHERE state = 0 AND assignment = ?
          AND NOT EXISTS (SELECT 1 FROM trial r WHERE r.state = 1 AND r.person = t.person AND r.assignment = t.assignment
          AND (r.kind = 2) = (t.kind = 2))
          ORDER BY kind <> 2, (SELECT ifnull(sum(u.seconds), 0) FROM trial u WHERE u.person = t.person AND u.asked > ?), id LIMIT 1)sql",
          trial_columns));
      if (!next.text(assignment).integer(now - recent_seconds).step()) return;
      trial = trial_at(next);
    }
    db.prepare("UPDATE trial SET state = 1, phase = '' WHERE id = ?").integer(trial->id).run();
    trial->state = TrialState::running;
  });
  return trial;
}

std::string Trials::bytes_of(const Trial &trial) {
  batch::Statement row = store_.database().prepare("SELECT bytes FROM trial WHERE id = ?");
  return row.integer(trial.id).step() ? expanded_or_empty(row, 0) : "";
}

void Trials::phase(std::int64_t trial, const std::string &words) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE trial SET phase = ? WHERE id = ? AND state = 1")
        .text(words)
        .integer(trial)
        .run();
  });
}

void Trials::finish(const Trial &result, const std::string &fingerprint) {
  store_.change([&] {
    batch::Statement row = store_.database().prepare(
        "UPDATE trial SET state = 2, phase = '', bytes = '', record = ?, page = ?, why = ?, seconds = ?, "
        "fingerprint = ? "
        "WHERE id = ? AND state = 1");
    compressed_or_empty(row, result.record);
    compressed_or_empty(row, result.page);
    row.text(result.why).real(result.seconds).text(fingerprint).integer(result.id).run();
    forget({result.person, result.assignment, result.step, result.kind}, result.id, result.asked);
  });
}

void Trials::drop_queued(const TrialsOf &of, std::int64_t but) {
  batch::Statement queued =
      store_.database().prepare(fmt::format("DELETE FROM trial WHERE {} AND state = 0 AND id <> ?", of_step));
  bind(queued, of).integer(but).run();
}

void Trials::forget(const TrialsOf &of, std::int64_t latest, std::int64_t now) {
  // Pages are large, and nobody goes through a failure of yesterday.
  batch::Statement pages = store_.database().prepare(
      fmt::format("UPDATE trial SET page = '' WHERE {} AND id < ? AND length(page) > 0", of_step));
  bind(pages, of).integer(latest).run();
  // What took time within the hour counts for the limit.
  batch::Statement old = store_.database().prepare(fmt::format(
      "DELETE FROM trial WHERE id IN (SELECT id FROM trial WHERE {} AND state = 2 ORDER BY id DESC LIMIT -1 "
      "OFFSET ?) AND (seconds = 0 OR asked < ?)",
      of_step));
  bind(old, of).integer(most_trials).integer(now - hour).run();
}

void Trials::put_back(const std::string &assignment) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE trial SET state = 0, phase = '' WHERE state = 1 AND assignment = ?")
        .text(assignment)
        .run();
  });
}

}  // namespace warpgrade::service
