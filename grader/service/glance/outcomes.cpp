#include "service/glance/outcomes.hpp"

#include <fmt/format.h>

#include "batch/content.hpp"
#include "grading/record_json.hpp"
#include "judge/verdict.hpp"
#include "report/class.hpp"

namespace warpgrade::service {

namespace {

constexpr const char *columns =
    "kind, source, student, assignment, step, file, at, verdict, accepted, rule, gist, said, points";

/// What a record says; nothing of one that cannot be read.
void read_record(Outcome &o, const std::string &compressed) {
  if (compressed.empty()) return;
  try {
    const grading::StepRecord record = grading::step_record_of(batch::expanded(compressed));
    o.verdict = judge::in_words(record.verdict);
    o.accepted = record.verdict == judge::Verdict::accepted;
    if (o.accepted || record.verdict == judge::Verdict::grader_error) return;
    const std::vector<report::ClassDiagnostic> all = report::diagnostics_of(record, nullptr);
    if (all.empty()) return;
    o.rule = all.front().code;
    o.said = all.front().cause;
    o.gist = report::gist(o.said);
  } catch (const std::runtime_error &) {
    o.verdict = "unreadable";
  }
}

void keep(batch::Database &db, const Outcome &o, std::int64_t id, const std::string &mark) {
  db.prepare(fmt::format("INSERT OR REPLACE INTO outcome (id, mark, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                         "?, ?, ?, ?, ?, ?)",
                         columns))
      .integer(id)
      .text(mark)
      .integer(static_cast<std::int64_t>(o.of))
      .integer(o.source)
      .text(o.student)
      .text(o.assignment)
      .text(o.step)
      .text(o.file)
      .integer(o.at)
      .text(o.verdict)
      .integer(o.accepted ? 1 : 0)
      .text(o.rule)
      .text(o.gist)
      .text(o.said)
      .real(o.points)
      .run();
}

constexpr int one_part = 100;

// What ended and is not noted as it is now. The columns: id, student, assignment, step, at, record, source, points, mark, file.
constexpr const char *ended_runs =
    "SELECT t.id, t.person, t.assignment, t.step, t.asked, t.record, t.id, 0, '', t.file FROM trial t WHERE "
    "t.id IN (SELECT "
    "id FROM trial WHERE state = 2 AND kind = 0 EXCEPT SELECT id FROM outcome WHERE kind = 0 ORDER BY id "
    "DESC LIMIT ?)";
// A part that is graded or scored again has another mark.
constexpr const char *ended_parts =
    "SELECT p.id, s.student, s.assignment, p.step, s.received, p.record, s.id, ifnull(p.points, 0), e.mark, "
    "p.file FROM "
    "(SELECT id, fingerprint || ' ' || ifnull(seconds, 0) || ' ' || ifnull(points, 0) AS mark FROM part "
    "WHERE state = 2 "
    "EXCEPT SELECT id, mark FROM outcome WHERE kind = 1 ORDER BY id DESC LIMIT ?) e JOIN part p ON p.id = "
    "e.id JOIN "
    "submission s ON s.id = p.submission";

}  // namespace

bool Outcomes::catch_up(std::mutex &writing, int most_parts) {
  for (int part = 0; part < most_parts; ++part)
    if (catch_up_a_part(writing)) return true;
  return false;
}

bool Outcomes::catch_up_a_part(std::mutex &writing) {
  struct Ended {
    Outcome outcome;
    std::int64_t id;
    std::string mark;
  };
  std::vector<Ended> ended;
  bool all = true;
  for (const Outcome::Of of : {Outcome::Of::run, Outcome::Of::submission}) {
    batch::Statement rows = store_.database().prepare(of == Outcome::Of::run ? ended_runs : ended_parts);
    rows.integer(one_part);
    int found = 0;
    for (; rows.step(); ++found) {
      Outcome o;
      o.of = of;
      o.student = rows.text_at(1);
      o.assignment = rows.text_at(2);
      o.step = rows.text_at(3);
      o.at = rows.integer_at(4);
      read_record(o, rows.text_at(5));
      o.source = rows.integer_at(6);
      o.points = rows.real_at(7);
      o.file = rows.text_at(9);
      ended.push_back({std::move(o), rows.integer_at(0), rows.text_at(8)});
    }
    all = all && found < one_part;
  }
  if (ended.empty()) return all;
  const std::lock_guard lock(writing);
  store_.change([&] {
    for (const Ended &e : ended) keep(store_.database(), e.outcome, e.id, e.mark);
  });
  return all;
}

std::set<std::string> Outcomes::begun(const std::string &assignment) {
  batch::Statement rows = store_.database().prepare(
      "SELECT person FROM draft WHERE assignment = ?1 UNION SELECT person FROM trial WHERE assignment = ?1 "
      "UNION "
      "SELECT student FROM submission WHERE assignment = ?1");
  rows.text(assignment);
  std::set<std::string> all;
  while (rows.step()) all.insert(rows.text_at(0));
  return all;
}

std::vector<Outcome> Outcomes::of_assignment(const std::string &assignment) {
  batch::Statement rows = store_.database().prepare(
      fmt::format("SELECT {} FROM outcome WHERE assignment = ? ORDER BY at, kind, id", columns));
  rows.text(assignment);
  return found(std::move(rows));
}

std::vector<Outcome> Outcomes::of_student(const std::string &student, int most) {
  batch::Statement rows = store_.database().prepare(fmt::format(
      "SELECT {} FROM outcome WHERE student = ? ORDER BY at DESC, kind DESC, id DESC LIMIT ?", columns));
  rows.text(student).integer(most);
  return found(std::move(rows));
}

std::vector<Outcome> Outcomes::found(batch::Statement rows) {
  std::vector<Outcome> all;
  while (rows.step()) {
    Outcome o;
    o.of = static_cast<Outcome::Of>(rows.integer_at(0));
    o.source = rows.integer_at(1);
    o.student = rows.text_at(2);
    o.assignment = rows.text_at(3);
    o.step = rows.text_at(4);
    o.file = rows.text_at(5);
    o.at = rows.integer_at(6);
    o.verdict = rows.text_at(7);
    o.accepted = rows.integer_at(8) != 0;
    o.rule = rows.text_at(9);
    o.gist = rows.text_at(10);
    o.said = rows.text_at(11);
    o.points = rows.real_at(12);
    all.push_back(std::move(o));
  }
  return all;
}

}  // namespace warpgrade::service
