#include "service/disputes/disputes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace warpgrade::service {

namespace {

constexpr std::string_view dispute_columns =
    "id, student, assignment, submission, step, rule, cause, said, file, line, quoted, seen_in, again, open, "
    "our_fault, "
    "points_given, opened, changed, seen";
constexpr std::size_t most_in_audit = 200;  // bytes of a text: all of it is in the dispute

batch::Statement select_disputes(batch::Database &database, std::string_view rest) {
  return database.prepare(fmt::format("SELECT {} FROM dispute {}", dispute_columns, rest));
}

std::string_view audited_as(DisputeKind kind) {
  switch (kind) {
    case DisputeKind::comment:
      return "dispute";
    case DisputeKind::answer:
      return "dispute answered";
    case DisputeKind::points:
      return "dispute answered with points";
    case DisputeKind::our_fault:
      return "dispute: fault of the grader";
    case DisputeKind::reopened:
      break;
  }
  return "dispute opened again";
}

}  // namespace

bool same_cause(const Dispute &a, const Dispute &b) {
  return a.about.assignment == b.about.assignment && a.about.cause == b.about.cause &&
         !a.about.cause.gist.empty();
}

bool taken_back(const std::vector<DisputeMessage> &all, const DisputeMessage &m) {
  return m.kind != DisputeKind::comment && m.kind != DisputeKind::reopened &&
         std::any_of(all.begin(), all.end(), [&](const DisputeMessage &later) {
           return later.id > m.id && later.kind == DisputeKind::reopened;
         });
}

std::string state_in_words(const Dispute &d) {
  if (d.open) return "open";
  if (d.our_fault) return d.points_given ? "fault of the grader, points given" : "fault of the grader";
  return d.points_given ? "points given" : "answered";
}

std::string about_in_words(const Disputed &about) {
  if (!about.cause.rule.empty())
    return fmt::format("{}, {}{}", about.cause.step, about.cause.rule,
                       about.line > 0 ? fmt::format(" in {}:{}", about.file, about.line) : "");
  return about.line > 0 ? fmt::format("line {} of {}", about.line, about.cause.step) : about.cause.step;
}

std::vector<Dispute> Disputes::found(batch::Statement rows) {
  std::vector<Dispute> all;
  while (rows.step()) {
    Dispute d;
    d.id = rows.integer_at(0);
    d.student = rows.text_at(1);
    d.about = {rows.text_at(2),  rows.integer_at(3), {rows.text_at(4), rows.text_at(5), rows.text_at(6)},
               rows.text_at(7),  rows.text_at(8),    static_cast<int>(rows.integer_at(9)),
               rows.text_at(10), rows.text_at(11),   rows.text_at(12)};
    d.open = rows.integer_at(13) != 0;
    d.our_fault = rows.integer_at(14) != 0;
    d.points_given = rows.integer_at(15) != 0;
    d.opened = rows.integer_at(16);
    d.changed = rows.integer_at(17);
    d.seen = rows.integer_at(18);
    all.push_back(std::move(d));
  }
  return all;
}

void Disputes::say(std::int64_t dispute, std::string_view author, DisputeKind kind, std::string_view text,
                   std::int64_t now) {
  store_.database()
      .prepare("INSERT INTO dispute_message (dispute, at, author, kind, text) VALUES (?, ?, ?, ?, ?)")
      .integer(dispute)
      .integer(now)
      .text(author)
      .integer(static_cast<std::int64_t>(kind))
      .text(text)
      .run();
}

namespace {

bool too_many_open(batch::Database &database, const std::string &student, const std::string &assignment) {
  batch::Statement count =
      database.prepare("SELECT count(*) FROM dispute WHERE student = ? AND assignment = ? AND open = 1");
  return count.text(student).text(assignment).step() && count.integer_at(0) >= most_open_disputes;
}

}  // namespace

std::optional<std::int64_t> Disputes::open(const std::string &student, const Disputed &about,
                                           const std::string &text, std::int64_t now) {
  std::optional<std::int64_t> id;
  store_.change([&] {
    batch::Database &db = store_.database();
    if (too_many_open(db, student, about.assignment)) return;
    db.prepare(
          "INSERT INTO dispute (student, assignment, submission, step, rule, cause, said, file, line, "
          "quoted, seen_in, "
          "again, opened, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .text(student)
        .text(about.assignment)
        .integer(about.submission)
        .text(about.cause.step)
        .text(about.cause.rule)
        .text(about.cause.gist)
        .text(about.said)
        .text(about.file)
        .integer(about.line)
        .text(about.quoted)
        .text(about.seen_in)
        .text(about.again)
        .integer(now)
        .integer(now)
        .run();
    id = db.last_id();
    say(*id, student, DisputeKind::comment, text, now);
  });
  return id;
}

bool Disputes::comment(const Dispute &d, const std::string &text, std::int64_t now) {
  bool taken = false;
  store_.change([&] {
    batch::Database &db = store_.database();
    batch::Statement said = db.prepare("SELECT count(*) FROM dispute_message WHERE dispute = ? AND kind = 0");
    if (said.integer(d.id).step() && said.integer_at(0) >= most_comments) return;
    batch::Statement state = db.prepare("SELECT open FROM dispute WHERE id = ?");
    const bool is_open = state.integer(d.id).step() && state.integer_at(0) != 0;
    if (!is_open && too_many_open(db, d.student, d.about.assignment)) return;
    say(d.id, d.student, DisputeKind::comment, text, now);
    db.prepare("UPDATE dispute SET open = 1, changed = ?, seen = ? WHERE id = ?")
        .integer(now)
        .integer(db.last_id())
        .integer(d.id)
        .run();
    taken = true;
  });
  return taken;
}

bool Disputes::decide_within(const Decision &decision, std::string_view actor, std::int64_t now) {
  batch::Database &db = store_.database();
  batch::Statement latest = db.prepare("SELECT max(id) FROM dispute_message WHERE dispute = ?");
  if (!latest.integer(decision.dispute).step() || latest.null_at(0) || latest.integer_at(0) != decision.last)
    return false;
  const std::vector<Dispute> one =
      found(std::move(select_disputes(db, "WHERE id = ?").integer(decision.dispute)));
  const Dispute &d = one.at(0);
  const bool again = decision.kind == DisputeKind::reopened;
  if (decision.order) Orders(store_).give_within(*decision.order, actor, now);
  say(d.id, actor, decision.kind, decision.text, now);
  db.prepare("UPDATE dispute SET open = ?, our_fault = ?, points_given = ?, changed = ? WHERE id = ?")
      .integer(again ? 1 : 0)
      .integer(!again && (d.our_fault || decision.kind == DisputeKind::our_fault) ? 1 : 0)
      .integer(!again && (d.points_given || decision.kind == DisputeKind::points) ? 1 : 0)
      .integer(now)
      .integer(d.id)
      .run();
  note_in_audit(db, now, actor, audited_as(decision.kind), d.student,
                fmt::format("{} {}, dispute {}: {}", d.about.assignment, d.about.cause.step, d.id,
                            cut_to(decision.text, most_in_audit, "...")));
  return true;
}

bool Disputes::decide(const Decision &decision, std::string_view actor, std::int64_t now) {
  return decide_all({decision}, actor, now).has_value();
}

std::optional<std::size_t> Disputes::decide_all(const std::vector<Decision> &all, std::string_view actor,
                                                std::int64_t now) {
  std::optional<std::size_t> left_out;
  store_.change([&] {
    if (all.empty() || !decide_within(all.front(), actor, now)) return;
    left_out = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::optional<Dispute> other = find(all[i].dispute);
      if (!other || !other->open || !decide_within(all[i], actor, now)) ++*left_out;
    }
  });
  return left_out;
}

std::optional<Dispute> Disputes::find(std::int64_t id) {
  std::vector<Dispute> one = found(std::move(select_disputes(store_.database(), "WHERE id = ?").integer(id)));
  return one.empty() ? std::nullopt : std::optional(std::move(one.front()));
}

std::vector<DisputeMessage> Disputes::messages(std::int64_t dispute) {
  std::vector<DisputeMessage> all;
  batch::Statement rows = store_.database().prepare(
      "SELECT id, at, author, kind, text FROM dispute_message WHERE dispute = ? ORDER BY id");
  rows.integer(dispute);
  while (rows.step())
    all.push_back({rows.integer_at(0), rows.integer_at(1), rows.text_at(2),
                   static_cast<DisputeKind>(rows.integer_at(3)), rows.text_at(4)});
  return all;
}

std::vector<Dispute> Disputes::all(int most) {
  std::vector<Dispute> list = found(
      std::move(select_disputes(store_.database(), "WHERE open = 1 ORDER BY id LIMIT ?").integer(most)));
  for (Dispute &d : found(std::move(
           select_disputes(store_.database(), "WHERE open = 0 ORDER BY changed DESC, id DESC LIMIT ?")
               .integer(most))))
    list.push_back(std::move(d));
  return list;
}

std::vector<Dispute> Disputes::of_student(const std::string &student) {
  return found(
      std::move(select_disputes(store_.database(), "WHERE student = ? ORDER BY id DESC").text(student)));
}

std::vector<Dispute> Disputes::of_submission(std::int64_t submission) {
  return found(
      std::move(select_disputes(store_.database(), "WHERE submission = ? ORDER BY id").integer(submission)));
}

std::vector<Dispute> Disputes::similar(const Dispute &d) {
  const bool telling = std::any_of(d.about.quoted.begin(), d.about.quoted.end(),
                                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return found(
      std::move(select_disputes(
                    store_.database(),
                    "WHERE assignment = ? AND step = ? AND id <> ? AND ((cause <> '' AND rule = ?4 AND cause "
                    "= ?5) OR (?6 <> '' AND quoted = ?6 AND (rule = '' OR ?4 = '' OR (rule = ?4 AND cause = "
                    "?5)))) ORDER BY id DESC")
                    .text(d.about.assignment)
                    .text(d.about.cause.step)
                    .integer(d.id)
                    .text(d.about.cause.rule)
                    .text(d.about.cause.gist)
                    .text(telling ? d.about.quoted : "")));
}

int Disputes::count_open() {
  batch::Statement count = store_.database().prepare("SELECT count(*) FROM dispute WHERE open = 1");
  return count.step() ? static_cast<int>(count.integer_at(0)) : 0;
}

int Disputes::count_our_fault() {
  batch::Statement count = store_.database().prepare("SELECT count(*) FROM dispute WHERE our_fault = 1");
  return count.step() ? static_cast<int>(count.integer_at(0)) : 0;
}

std::vector<Dispute> Disputes::unread(const std::string &student) {
  return found(std::move(
      select_disputes(
          store_.database(),
          "WHERE student = ? AND EXISTS (SELECT 1 FROM dispute_message m WHERE m.dispute = "
          "dispute.id AND m.id > dispute.seen AND m.kind IN (1, 2, 3) AND NOT EXISTS (SELECT 1 FROM "
          "dispute_message r WHERE r.dispute = dispute.id AND r.id > m.id AND r.kind = 4)) "
          "ORDER BY id DESC")
          .text(student)));
}

void Disputes::read(const Dispute &d) {
  batch::Statement latest =
      store_.database().prepare("SELECT max(id) FROM dispute_message WHERE dispute = ?");
  if (!latest.integer(d.id).step() || latest.null_at(0) || latest.integer_at(0) == d.seen) return;
  const std::int64_t last = latest.integer_at(0);
  store_.change([&] {
    store_.database()
        .prepare("UPDATE dispute SET seen = ? WHERE id = ? AND seen < ?")
        .integer(last)
        .integer(d.id)
        .integer(last)
        .run();
  });
}

std::int64_t Disputes::attach(const FindingNote &note, std::string_view actor, std::int64_t now) {
  std::int64_t id = 0;
  store_.change([&] {
    batch::Database &db = store_.database();
    db.prepare(
          "INSERT INTO finding_note (assignment, step, rule, cause, example, text, at, author) VALUES (?, ?, "
          "?, ?, "
          "?, ?, ?, ?)")
        .text(note.assignment)
        .text(note.cause.step)
        .text(note.cause.rule)
        .text(note.cause.gist)
        .text(note.example)
        .text(note.text)
        .integer(now)
        .text(actor)
        .run();
    id = db.last_id();
    note_in_audit(
        db, now, actor, "note on a finding",
        fmt::format("{} {}", note.assignment, note.cause.step.empty() ? "all steps" : note.cause.step),
        fmt::format("note {}, {}: {}", id, note.cause.rule, cut_to(note.text, most_in_audit, "...")));
  });
  return id;
}

bool Disputes::take_back(std::int64_t note, std::string_view actor, std::int64_t now) {
  bool taken = false;
  store_.change([&] {
    batch::Database &db = store_.database();
    db.prepare("UPDATE finding_note SET ended = ? WHERE id = ? AND ended IS NULL")
        .integer(now)
        .integer(note)
        .run();
    taken = db.changed() > 0;
    if (!taken) return;
    batch::Statement was = db.prepare("SELECT assignment, step, rule FROM finding_note WHERE id = ?");
    was.integer(note).step();
    note_in_audit(db, now, actor, "note taken back",
                  fmt::format("{} {}", was.text_at(0), was.text_at(1).empty() ? "all steps" : was.text_at(1)),
                  fmt::format("note {}, {}", note, was.text_at(2)));
  });
  return taken;
}

std::vector<FindingNote> Disputes::notes(const std::string &assignment) {
  std::vector<FindingNote> all;
  batch::Statement rows = store_.database().prepare(
      "SELECT id, assignment, step, rule, cause, example, text, author, at FROM finding_note WHERE ended IS "
      "NULL AND "
      "(assignment = ? OR ? = '') ORDER BY id DESC");
  rows.text(assignment).text(assignment);
  while (rows.step())
    all.push_back({rows.integer_at(0),
                   rows.text_at(1),
                   {rows.text_at(2), rows.text_at(3), rows.text_at(4)},
                   rows.text_at(5),
                   rows.text_at(6),
                   rows.text_at(7),
                   rows.integer_at(8)});
  return all;
}

}  // namespace warpgrade::service
