#include "report/grades.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>

#include "base/csv.hpp"
#include "base/text.hpp"

namespace warpgrade::report {

bool StepGrade::passed() const {
  return by_hand ? points.value_or(0) >= max_points : verdict == "accepted";
}

std::string StepGrade::explanation() const {
  if (by_hand) return "by hand: " + *by_hand;
  const std::string place = fmt::format("{}:{}", file, line);
  return line > 0 && reason.find(place) == std::string::npos ? fmt::format("{}: {}", place, reason) : reason;
}

std::optional<double> StudentGrades::grade() const {
  if (standing == Standing::pending || standing == Standing::grader_error) return std::nullopt;
  return points;
}

StudentGrades grades_of(const Report &r, const std::string &submission) {
  StudentGrades s;
  s.student = submission;
  s.source = submission;
  s.points = r.score.points;
  s.max_points = r.score.max_points;
  s.ungraded_points = r.score.ungraded_points;
  s.refused = r.record.refused;
  s.notes = r.record.notes;
  bool any = false, ours = false;
  for (std::size_t i = 0; i < r.record.steps.size(); ++i) {
    const grading::StepRecord &record = r.record.steps[i];
    const score::StepScore &score = r.score.steps.at(i);
    StepGrade step;
    step.id = record.id;
    step.title = record.title;
    step.file = record.file;
    step.verdict = judge::name_of(record.verdict);
    step.reason = record.reason;
    step.line = line_of_error(record);
    step.points = score.points;
    step.max_points = score.max_points;
    step.ungraded_points = score.ungraded_points;
    step.extra_credit = score.extra_credit;
    if (score.by_hand) step.by_hand = score.by_hand->reason;
    any |= record.verdict != judge::Verdict::missing;
    ours |= record.verdict == judge::Verdict::grader_error;
    s.steps.push_back(std::move(step));
  }
  s.standing = !s.refused.empty() ? Standing::archive_refused
               : ours             ? Standing::grader_error
               : any              ? Standing::graded
                                  : Standing::missing;
  return s;
}

namespace {

/// Of "step1.cu(12): error" and "step1.cu:12:5: error" in what a compiler printed; 0 where there is neither.
int line_in_log(std::string_view log, const std::string &file) {
  for (std::size_t at = 0; (at = log.find(file, at)) != std::string_view::npos;) {
    at += file.size();
    if (at >= log.size() || (log[at] != '(' && log[at] != ':')) continue;
    const std::string_view rest = log.substr(at + 1, log.find('\n', at) - at - 1);
    int line = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
    if (error == std::errc() && rest.find("error") != std::string_view::npos) return line;
  }
  return 0;
}

}  // namespace

int line_of_error(const grading::StepRecord &record) {
  if (record.verdict == judge::Verdict::accepted) return 0;
  for (const judge::Finding &f : record.findings)
    if (f.severity == "error" && f.line > 0 && f.file == record.file) return f.line;
  return record.verdict == judge::Verdict::build_error ? line_in_log(record.build.log, record.file) : 0;
}

std::string name_of(Standing standing) {
  switch (standing) {
    case Standing::graded:
      return "graded";
    case Standing::overridden:
      return "overridden";
    case Standing::pending:
      return "pending";
    case Standing::archive_refused:
      return "archive_refused";
    case Standing::not_submitted:
      return "not_submitted";
    case Standing::missing:
      return "missing";
    case Standing::grader_error:
      return "grader_error";
  }
  return "";
}

std::string utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string grades_to_csv(const ClassGrades &grades) {
  std::vector<std::string> header = {"student",         "status", "score",    "max_score",
                                     "ungraded_points", "source", "handed_in"};
  if (!grades.students.empty())
    for (const StepGrade &step : grades.students.front().steps)
      for (const char *what : {"", "_max", "_verdict", "_reason"}) header.push_back(csv_text(step.id + what));
  header.insert(header.end(), {"notes", "late"});
  std::string csv = csv_row(header);
  for (const StudentGrades &s : grades.students) {
    const bool pending = s.standing == Standing::pending;
    std::vector<std::string> row = {csv_text(s.student),
                                    name_of(s.standing),
                                    pending ? "" : points(s.points),
                                    pending ? "" : points(s.max_points),
                                    pending ? "" : points(s.ungraded_points),
                                    csv_text(s.source),
                                    s.source.empty() ? "" : utc(s.handed_in)};
    for (const StepGrade &step : s.steps) {
      row.push_back(step.points ? points(*step.points) : "");
      row.push_back(points(step.max_points));
      row.push_back(csv_text(step.verdict));
      row.push_back(csv_text(step.explanation()));
    }
    std::string notes = s.refused.empty() ? "" : "archive_refused: " + s.refused;
    for (const std::string &note : s.notes) notes += (notes.empty() ? "" : "; ") + note;
    row.push_back(csv_text(notes));
    row.push_back(s.late_days > 0 ? std::to_string(s.late_days) : "");
    csv += csv_row(row);
  }
  return csv;
}

}  // namespace warpgrade::report
