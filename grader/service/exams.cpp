#include "service/exams.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warpgrade::service {

namespace {

using Json = nlohmann::json;

constexpr const char *columns = "id, student, assignment, step, questions, started, ends, ended, chosen";

Sitting sitting_at(batch::Statement &row) {
  Sitting s;
  s.id = row.integer_at(0);
  s.student = row.text_at(1), s.assignment = row.text_at(2), s.step = row.text_at(3);
  s.exam = viva::exam_of(row.text_at(4));
  s.started = row.integer_at(5), s.ends = row.integer_at(6);
  if (!row.null_at(7)) s.ended = row.integer_at(7);
  for (const Json &one : Json::parse(row.text_at(8)))
    s.chosen.push_back(one.is_null() ? std::nullopt : std::optional(one.get<std::size_t>()));
  return s;
}

std::string as_json(const viva::Chosen &chosen) {
  Json all = Json::array();
  for (const auto &one : chosen) all.push_back(one ? Json(*one) : Json(nullptr));
  return all.dump();
}

}  // namespace

std::optional<Sitting> Exams::sitting(const std::string &student, const std::string &assignment,
                                      const std::string &step) {
  batch::Statement row = store_.database().prepare(fmt::format(
      "SELECT {} FROM sitting WHERE student = ? AND assignment = ? AND step = ? AND reopened IS NULL",
      columns));
  if (!row.text(student).text(assignment).text(step).step()) return std::nullopt;
  return sitting_at(row);
}

std::vector<Sitting> Exams::sittings(const std::string &assignment, const std::string &step) {
  std::vector<Sitting> all;
  batch::Statement row = store_.database().prepare(fmt::format(
      "SELECT {} FROM sitting WHERE assignment = ? AND step = ? AND reopened IS NULL ORDER BY student",
      columns));
  row.text(assignment).text(step);
  while (row.step()) all.push_back(sitting_at(row));
  return all;
}

bool Exams::begin(const std::string &student, const viva::Exam &exam, const viva::Sheet &sheet,
                  std::int64_t seconds, std::int64_t now) {
  bool begun = false;
  store_.change([&] {
    if (sitting(student, exam.assignment, exam.step)) return;
    store_.database()
        .prepare(
            "INSERT INTO sitting (student, assignment, step, questions, started, ends, chosen) VALUES (?, ?, "
            "?, ?, ?, "
            "?, ?)")
        .text(student)
        .text(exam.assignment)
        .text(exam.step)
        .text(viva::to_json(exam.assignment, exam.step, exam.seed, {sheet}))
        .integer(now)
        .integer(now + seconds)
        .text(as_json(viva::Chosen(sheet.questions.size())))
        .run();
    note_in_audit(store_.database(), now, student, "exam begun", student,
                  fmt::format("{} {}", exam.assignment, exam.step));
    begun = true;
  });
  return begun;
}

bool Exams::choose(const Sitting &s, const viva::Chosen &chosen, bool end, std::int64_t now) {
  bool taken = false;
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE sitting SET chosen = ?, ended = CASE WHEN ? THEN ? END WHERE id = ? AND reopened IS NULL "
            "AND ended IS NULL AND counted = 0 AND ends >= ?")
        .text(as_json(chosen))
        .integer(end ? 1 : 0)
        .integer(now)
        .integer(s.id)
        .integer(now)
        .run();
    taken = store_.database().changed() > 0;
    if (taken && end)
      note_in_audit(store_.database(), now, s.student, "exam ended", s.student,
                    fmt::format("{} {}", s.assignment, s.step));
  });
  return taken;
}

bool Exams::reopen(const std::string &student, const std::string &assignment, const std::string &step,
                   const std::string &reason, std::string_view actor, std::int64_t now) {
  bool reopened = false;
  store_.change([&] {
    store_.database()
        .prepare(
            "UPDATE sitting SET reopened = ? WHERE student = ? AND assignment = ? AND step = ? AND reopened "
            "IS NULL")
        .integer(now)
        .text(student)
        .text(assignment)
        .text(step)
        .run();
    reopened = store_.database().changed() > 0;
    if (reopened)
      note_in_audit(store_.database(), now, actor, "exam reopened", student,
                    fmt::format("{} {} ({})", assignment, step, reason));
  });
  return reopened;
}

std::vector<Sitting> Exams::to_count(const std::string &assignment, std::int64_t now) {
  std::vector<Sitting> all;
  batch::Statement row = store_.database().prepare(fmt::format(
      "SELECT {} FROM sitting WHERE assignment = ? AND counted = 0 AND reopened IS NULL AND (ended IS NOT "
      "NULL OR ends < ?) ORDER BY id",
      columns));
  // What came in time may still wait for its turn to be written.
  constexpr std::int64_t until_written = 30;
  row.text(assignment).integer(now - until_written);
  while (row.step()) all.push_back(sitting_at(row));
  return all;
}

void Exams::counted(std::int64_t id) {
  store_.change(
      [&] { store_.database().prepare("UPDATE sitting SET counted = 1 WHERE id = ?").integer(id).run(); });
}

}  // namespace warpgrade::service
