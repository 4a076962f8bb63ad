#include "batch/exports.hpp"

#include <algorithm>

#include "report/grades.hpp"

namespace warpgrade::batch {

namespace {

platforms::Standing standing_of(const std::string &status) {
  using platforms::Standing;
  for (const Standing s : {Standing::graded, Standing::overridden, Standing::archive_refused,
                           Standing::not_submitted, Standing::missing, Standing::grader_error})
    if (platforms::name_of(s) == status) return s;
  return Standing::pending;
}

platforms::StepGrade step_of(const course::Assignment &a, const Scored &s, std::size_t i,
                             const ScoreRow::Step *stored) {
  const score::StepScore &score = s.score.steps[i];
  const grading::StepRecord &record = s.record.steps[i];
  platforms::StepGrade step;
  step.id = score.id;
  step.title = record.title;
  for (const auto &[id, file] : steps_of(a))
    if (id == score.id) step.file = file;
  step.extra_credit = score.extra_credit;
  step.max_points = stored ? stored->max_points : score.max_points;
  const ScoreRow::Step &now = s.row.steps[i];
  if (!now.points && !(stored && stored->points)) return step;  // not yet graded
  step.verdict = stored ? stored->verdict : now.verdict;
  step.reason = record.reason;
  step.line = report::line_of_error(record);
  step.points = stored && stored->points ? stored->points : now.points;
  step.ungraded_points = stored ? stored->ungraded_points : score.ungraded_points;
  if (score.by_hand) step.by_hand = score.by_hand->reason;
  return step;
}

}  // namespace

Export export_of(const Store &store, const course::Assignment &a, const RulesOf &rules) {
  Export out;
  out.grades.assignment = a.name;
  out.grades.title = a.title;
  for (const std::string &id : store.students()) {
    const Scored s = score_student(store, rules, id);
    // The points of a result that is damaged are known from when it was whole.
    const std::optional<ScoreRow> stored = s.complete || s.damaged ? store.score(id) : std::nullopt;
    const ScoreRow &row = stored ? *stored : s.row;
    if (stored && !s.damaged && (stored->points != s.row.points || stored->max_points != s.row.max_points))
      out.outdated.push_back(id);
    platforms::StudentGrades student;
    student.student = id;
    student.source = s.student.source;
    student.handed_in = s.student.handed_in;
    student.standing = s.complete || s.damaged ? standing_of(row.status) : platforms::Standing::pending;
    student.points = row.points;
    student.max_points = row.max_points;
    student.ungraded_points = row.ungraded_points;
    student.late_days = row.late_days;
    student.refused = s.student.refused;
    student.notes = s.student.notes;
    for (std::size_t i = 0; i < s.score.steps.size(); ++i) {
      const auto same = std::find_if(row.steps.begin(), row.steps.end(), [&](const ScoreRow::Step &step) {
        return step.id == s.score.steps[i].id;
      });
      student.steps.push_back(step_of(a, s, i, stored && same != row.steps.end() ? &*same : nullptr));
    }
    out.grades.students.push_back(std::move(student));
  }
  return out;
}

}  // namespace warpgrade::batch
