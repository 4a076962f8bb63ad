// The store's points: scores as they stand, those given by hand, and answers of exams.
#include "batch/store.hpp"
#include "grading/record_json.hpp"

namespace warpgrade::batch {

void Store::keep_score(const ScoreRow &row) {
  Transaction transaction(*database_);
  database_->prepare("DELETE FROM step_score WHERE student = ?").text(row.student).run();
  database_
      ->prepare(
          "INSERT INTO score (student, status, points, max_points, ungraded_points, extra_credit, late_days) "
          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status, "
          "points = excluded.points, max_points = excluded.max_points, "
          "ungraded_points = excluded.ungraded_points, extra_credit = excluded.extra_credit, "
          "late_days = excluded.late_days, reported = 0")
      .text(row.student)
      .text(row.status)
      .real(row.points)
      .real(row.max_points)
      .real(row.ungraded_points)
      .real(row.extra_credit)
      .integer(row.late_days)
      .run();
  Statement statement = database_->prepare(
      "INSERT INTO step_score (student, place, step, verdict, points, max_points, ungraded_points) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::int64_t place = 0;
  for (const ScoreRow::Step &step : row.steps)
    statement.text(row.student)
        .integer(place++)
        .text(step.id)
        .text(step.verdict)
        .real_or_null(step.points)
        .real(step.max_points)
        .real(step.ungraded_points)
        .run();
  transaction.commit();
}

std::optional<ScoreRow> Store::score(const std::string &student) const {
  Statement statement = database_->prepare(
      "SELECT status, points, max_points, ungraded_points, extra_credit, late_days FROM score WHERE student "
      "= ?");
  if (!statement.text(student).step()) return std::nullopt;
  ScoreRow row{student,
               statement.text_at(0),
               statement.real_at(1),
               statement.real_at(2),
               statement.real_at(3),
               statement.real_at(4),
               static_cast<int>(statement.integer_at(5)),
               {}};
  Statement steps = database_->prepare(
      "SELECT step, verdict, points, max_points, ungraded_points FROM step_score WHERE student = ? ORDER BY "
      "place");
  steps.text(student);
  while (steps.step()) {
    const auto points = steps.null_at(2) ? std::nullopt : std::optional(steps.real_at(2));
    row.steps.push_back({steps.text_at(0), steps.text_at(1), points, steps.real_at(3), steps.real_at(4)});
  }
  return row;
}

void Store::reported(const std::string &student) {
  database_->prepare("UPDATE score SET reported = 1 WHERE student = ?").text(student).run();
}

std::vector<std::string> Store::unreported() const {
  std::vector<std::string> students;
  Statement statement = database_->prepare("SELECT student FROM score WHERE reported = 0 ORDER BY student");
  while (statement.step()) students.push_back(statement.text_at(0));
  return students;
}

void Store::override_points(const std::string &student, const score::Override &o) {
  Transaction transaction(*database_);
  withdraw_override(student, o.step);
  database_->prepare("INSERT INTO override (student, step, points, reason) VALUES (?, ?, ?, ?)")
      .text(student)
      .text(o.step)
      .real(o.points)
      .text(o.reason)
      .run();
  transaction.commit();
}

bool Store::withdraw_override(const std::string &student, const std::string &step) {
  database_
      ->prepare(
          "UPDATE override SET withdrawn = CURRENT_TIMESTAMP "
          "WHERE student = ? AND step = ? AND withdrawn IS NULL")
      .text(student)
      .text(step)
      .run();
  return database_->changed() > 0;
}

std::vector<score::Override> Store::overrides(const std::string &student) const {
  std::vector<score::Override> all;
  Statement statement = database_->prepare(
      "SELECT step, points, reason FROM override WHERE student = ? AND withdrawn IS NULL ORDER BY step");
  statement.text(student);
  while (statement.step()) all.push_back({statement.text_at(0), statement.real_at(1), statement.text_at(2)});
  return all;
}

void Store::keep_exam(const std::string &student, const std::string &step, const ExamRow &row) {
  Transaction transaction(*database_);
  database_
      ->prepare(
          "UPDATE exam SET replaced = CURRENT_TIMESTAMP WHERE student = ? AND step = ? AND replaced IS NULL")
      .text(student)
      .text(step)
      .run();
  database_->prepare("INSERT INTO exam (student, step, record, questions) VALUES (?, ?, ?, ?)")
      .text(student)
      .text(step)
      .text(grading::to_json(row.record))
      .text(row.questions)
      .run();
  transaction.commit();
}

std::optional<ExamRow> Store::exam(const std::string &student, const std::string &step) const {
  Statement statement = database_->prepare(
      "SELECT record, questions FROM exam WHERE student = ? AND step = ? AND replaced IS NULL");
  if (!statement.text(student).text(step).step()) return std::nullopt;
  return ExamRow{grading::step_record_of(statement.text_at(0)), statement.text_at(1)};
}

}  // namespace warpgrade::batch
