// What grading again would change, beside what counts; taking it over, and undoing that.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/json_fields.hpp"
#include "batch/content.hpp"
#include "batch/store.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"

namespace warpgrade::batch {

WARPGRADE_FIELDS(ScoreRow::Step, id, verdict, points, max_points, ungraded_points)
WARPGRADE_FIELDS(ScoreRow, student, status, points, max_points, ungraded_points, extra_credit, late_days,
                 steps)

namespace {

course::WithoutGpu policy_named(const std::string &name) {
  return course::without_gpu_of(name).value_or(course::WithoutGpu::leave);
}

/// The variant in "STEP VARIANT".
std::string variant_in(const std::string &key, const std::string &step) {
  return key.size() > step.size() ? key.substr(step.size() + 1) : "";
}

const std::string a_regrading =
    "SELECT id, actor, detail, at, without_gpu, by_order, undone IS NOT NULL, undone_by FROM regrading ";

std::optional<Regrading> regrading_of(Statement statement) {
  if (!statement.step()) return std::nullopt;
  return Regrading{statement.integer_at(0),
                   statement.text_at(1),
                   statement.text_at(2),
                   statement.text_at(3),
                   course::without_gpu_of(statement.text_at(4)),
                   statement.text_at(5),
                   statement.integer_at(6) != 0,
                   statement.text_at(7)};
}

}  // namespace

void Store::begin_preview(const Preview &p, const std::vector<PreviewFile> &files, bool beside) {
  Transaction transaction(*database_);
  if (!beside) database_->execute("DELETE FROM preview_file");
  database_->prepare("DELETE FROM preview_result WHERE verdict = ?")
      .text(judge::name_of(judge::Verdict::grader_error))
      .run();
  database_
      ->prepare(
          "INSERT INTO preview (id, actor, course, without_gpu, version) VALUES (1, ?, ?, ?, ?) ON CONFLICT "
          "DO "
          "UPDATE SET actor = excluded.actor, course = excluded.course, without_gpu = excluded.without_gpu, "
          "version = excluded.version, begun = iif(?5 <> '', ?5, excluded.begun)")
      .text(p.actor)
      .text(p.course)
      .text(course::name_of(p.without_gpu))
      .text(p.version)
      .text(p.begun)
      .run();
  for (const PreviewFile &f : files) {
    database_->prepare("DELETE FROM preview_file WHERE student = ? AND step = ?")
        .text(f.student)
        .text(f.task.step)
        .run();
    if (number_of_result(f.student, f.task) == 0) continue;
    database_
        ->prepare("INSERT INTO preview_file (student, step, file, grading, again) VALUES (?, ?, ?, ?, ?)")
        .text(f.student)
        .text(f.task.step)
        .text(f.task.file)
        .integer(remember(f.grading))
        .integer(f.again ? 1 : 0)
        .run();
  }
  transaction.commit();
}

std::optional<Preview> Store::preview() const {
  Statement statement = database_->prepare("SELECT actor, course, without_gpu, version, begun FROM preview");
  if (!statement.step()) return std::nullopt;
  return Preview{statement.text_at(0), statement.text_at(1), policy_named(statement.text_at(2)),
                 statement.text_at(3), statement.text_at(4)};
}

std::vector<PreviewFile> Store::preview_files() const {
  std::vector<PreviewFile> files;
  Statement statement = database_->prepare(
      "SELECT f.student, f.step, f.file, f.again, g.step, g.fingerprint, g.conditions FROM preview_file f "
      "JOIN "
      "grading g ON g.id = f.grading ORDER BY f.student, f.step");
  while (statement.step()) {
    PreviewFile f{
        statement.text_at(0), {statement.text_at(1), statement.text_at(2)}, {}, statement.integer_at(3) != 0};
    f.grading.step = f.task.step;
    f.grading.fingerprint = statement.text_at(5);
    f.grading.conditions = statement.text_at(6);
    f.grading.variant = variant_in(statement.text_at(4), f.task.step);
    files.push_back(std::move(f));
  }
  return files;
}

std::vector<Task> Store::to_preview() const {
  std::vector<Task> tasks;
  Statement statement = database_->prepare(
      "SELECT f.step, f.file FROM preview_file f WHERE NOT EXISTS (SELECT 1 FROM preview_result p WHERE "
      "p.grading "
      "= f.grading AND p.file = f.file) AND (f.again = 1 OR NOT EXISTS (SELECT 1 FROM result r WHERE "
      "r.grading = "
      "f.grading AND r.file = f.file AND r.counts = 1)) GROUP BY f.step, f.file ORDER BY min(f.student), "
      "f.step");
  while (statement.step()) tasks.push_back({statement.text_at(0), statement.text_at(1)});
  return tasks;
}

void Store::keep_previewed(const Task &task, const grading::StepRecord &record, double seconds) {
  database_
      ->prepare(
          "INSERT INTO preview_result (grading, file, verdict, record, seconds) SELECT DISTINCT grading, "
          "file, ?, ?, "
          "? FROM preview_file WHERE step = ? AND file = ? ON CONFLICT DO UPDATE SET verdict = "
          "excluded.verdict, "
          "record = excluded.record, seconds = excluded.seconds")
      .text(judge::name_of(record.verdict))
      .blob(compressed(grading::to_json(record)))
      .real(seconds)
      .text(task.step)
      .text(task.file)
      .run();
}

std::optional<grading::StepRecord> Store::previewed(const PreviewFile &f) const {
  Statement statement = database_->prepare(
      "SELECT coalesce((SELECT record FROM preview_result WHERE grading = g.id AND file = ?1), (SELECT "
      "record FROM "
      "result WHERE grading = g.id AND file = ?1 AND counts = 1 AND ?2 = 0)) FROM grading g WHERE g.step = "
      "?3 AND "
      "g.fingerprint = ?4");
  statement.text(f.task.file)
      .integer(f.again ? 1 : 0)
      .text(f.grading.variant.empty() ? f.task.step : f.task.step + " " + f.grading.variant)
      .text(f.grading.fingerprint);
  if (!statement.step() || statement.null_at(0)) return std::nullopt;
  try {
    return grading::step_record_of(expanded(statement.text_at(0)));
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

void Store::leave_preview(const std::vector<std::string> &students) {
  Transaction transaction(*database_);
  for (const std::string &student : students)
    database_->prepare("DELETE FROM preview_file WHERE student = ?").text(student).run();
  transaction.commit();
}

void Store::end_preview() {
  Transaction transaction(*database_);
  database_->execute("DELETE FROM preview_file; DELETE FROM preview_result; DELETE FROM preview");
  transaction.commit();
}

std::int64_t Store::apply_preview(const std::vector<std::string> &students, const StepFiles &steps,
                                  const Regrading &what,
                                  const std::function<ScoreBefore(const std::string &)> &before) {
  struct Applied {
    std::string student, key;
    Task task;
    std::int64_t grading = 0;
  };
  const std::set<std::string> theirs(students.begin(), students.end());
  std::vector<Applied> files;
  {
    Statement statement = database_->prepare(
        "SELECT f.student, g.step, f.step, f.file, f.grading FROM preview_file f JOIN grading g ON g.id = "
        "f.grading ORDER BY f.student, f.step");
    while (statement.step())
      if (theirs.contains(statement.text_at(0)))
        files.push_back({statement.text_at(0),
                         statement.text_at(1),
                         {statement.text_at(2), statement.text_at(3)},
                         statement.integer_at(4)});
  }
  Transaction transaction(*database_);
  const std::int64_t id = note_regrading(steps, what, before, students, [&] {
    change_only(students, steps, [&] {
      std::set<std::pair<std::int64_t, std::string>> taken;
      for (const Applied &f : files) {
        follow(f.student, f.task);
        database_
            ->prepare(
                "INSERT INTO grading_now (step, grading) VALUES (?, ?) ON CONFLICT DO UPDATE SET grading = "
                "excluded.grading")
            .text(f.key)
            .integer(f.grading)
            .run();
        if (!taken.emplace(f.grading, f.task.file).second) continue;
        // Where nothing was run, there is a result under these conditions; so it is from now on for who shares it.
        for (const char *change : {"UPDATE result SET counts = 0 WHERE counts = 1 AND grading = ?1 AND file "
                                   "= ?2 AND EXISTS (SELECT 1 "
                                   "FROM preview_result WHERE grading = ?1 AND file = ?2)",
                                   "INSERT INTO result (grading, file, verdict, record, seconds) SELECT "
                                   "grading, file, verdict, record, "
                                   "seconds FROM preview_result WHERE grading = ?1 AND file = ?2",
                                   "UPDATE preview_file SET again = 0 WHERE grading = ?1 AND file = ?2",
                                   "DELETE FROM preview_result WHERE grading = ?1 AND file = ?2"})
          database_->prepare(change).integer(f.grading).text(f.task.file).run();
      }
    });
    leave_preview(students);
  });
  transaction.commit();
  return id;
}

std::int64_t Store::note_regrading(const StepFiles &steps, const Regrading &what,
                                   const std::function<ScoreBefore(const std::string &)> &before,
                                   const std::vector<std::string> &students,
                                   const std::function<void()> &work) {
  const auto conditions = [this] {
    std::map<std::string, std::int64_t> all;
    Statement statement = database_->prepare("SELECT step, grading FROM grading_now");
    while (statement.step()) all[statement.text_at(0)] = statement.integer_at(1);
    return all;
  };
  std::map<std::string, ScoreBefore> scores;
  for (const std::string &student : students) scores[student] = before(student);
  const std::vector<Standing> stood = standings(steps);
  const std::map<std::string, std::int64_t> graded_under = conditions();
  work();
  Transaction transaction(*database_);
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> stands;
  for (const Standing &s : standings(steps)) stands[{s.student, s.step, s.file}] = s.result;
  std::vector<std::pair<Standing, std::int64_t>> changed;
  for (const Standing &s : stood)
    if (const auto now = stands.find({s.student, s.step, s.file});
        now != stands.end() && now->second != s.result)
      changed.emplace_back(s, now->second);
  if (changed.empty() && students.empty()) return 0;
  database_
      ->prepare(
          "INSERT INTO regrading (actor, detail, without_gpu, by_order) VALUES (?, ?, nullif(?, ''), ?)")
      .text(what.actor)
      .text(what.detail)
      .text(what.without_gpu ? course::name_of(*what.without_gpu) : "")
      .text(what.order)
      .run();
  const std::int64_t id = database_->last_id();
  for (const auto &[s, now] : changed)
    database_
        ->prepare(
            "INSERT INTO regrading_result (regrading, student, step, file, before, after) VALUES (?, ?, ?, "
            "?, ?, "
            "?)")
        .integer(id)
        .text(s.student)
        .text(s.step)
        .text(s.file)
        .integer(s.result)
        .integer(now)
        .run();
  for (const auto &[step, now] : conditions())
    if (const auto was = graded_under.find(step); was != graded_under.end() && was->second != now)
      database_
          ->prepare("INSERT INTO regrading_conditions (regrading, step, before, after) VALUES (?, ?, ?, ?)")
          .integer(id)
          .text(step)
          .integer(was->second)
          .integer(now)
          .run();
  for (const auto &[student, score] : scores)
    database_
        ->prepare(
            "INSERT INTO regrading_score (regrading, student, score, report, rest) VALUES (?, ?, ?, ?, ?)")
        .integer(id)
        .text(student)
        .text(json::write(score.row).dump())
        .blob(compressed(score.report))
        .text(score.rest)
        .run();
  transaction.commit();
  return id;
}

std::optional<Regrading> Store::latest_regrading() const {
  return regrading_of(database_->prepare(a_regrading + "WHERE undone IS NULL ORDER BY id DESC LIMIT 1"));
}

std::optional<Regrading> Store::regrading(std::int64_t id) const {
  Statement statement = database_->prepare(a_regrading + "WHERE id = ?");
  statement.integer(id);
  return regrading_of(std::move(statement));
}

std::optional<Regrading> Store::regrading_by(const std::string &order) const {
  Statement statement = database_->prepare(a_regrading + "WHERE by_order = ? AND by_order <> ''");
  statement.text(order);
  return regrading_of(std::move(statement));
}

std::vector<std::string> Store::students_of_regrading(std::int64_t id) const {
  std::vector<std::string> students;
  Statement statement = database_->prepare(
      "SELECT student FROM regrading_result WHERE regrading = ?1 UNION SELECT student FROM regrading_score "
      "WHERE regrading = ?1 ORDER BY 1");
  statement.integer(id);
  while (statement.step()) students.push_back(statement.text_at(0));
  return students;
}

bool Store::was_undone(const Task &task) const {
  Statement statement = database_->prepare(
      "SELECT 1 FROM result r JOIN grading_now g ON g.grading = r.grading WHERE g.step = ? AND r.file = ? "
      "AND "
      "r.counts = -1");
  const std::string key = key_of(task);
  return statement.text(key).text(task.file).step();
}

std::vector<Regraded> Store::regraded(std::int64_t regrading) const {
  std::vector<Regraded> all;
  Statement statement = database_->prepare(
      "SELECT student, step, file, before, after FROM regrading_result WHERE regrading = ? ORDER BY student, "
      "step");
  statement.integer(regrading);
  while (statement.step())
    all.push_back({statement.text_at(0),
                   {statement.text_at(1), statement.text_at(2)},
                   statement.integer_at(3),
                   statement.integer_at(4)});
  return all;
}

std::optional<ScoreBefore> Store::score_before(std::int64_t regrading, const std::string &student) const {
  Statement statement = database_->prepare(
      "SELECT score, report, rest FROM regrading_score WHERE regrading = ? AND student = ?");
  if (!statement.integer(regrading).text(student).step()) return std::nullopt;
  try {
    return ScoreBefore{json::read<ScoreRow>(json::Json::parse(statement.text_at(0))),
                       expanded(statement.text_at(1)), statement.text_at(2)};
  } catch (const std::exception &) {
    return std::nullopt;  // damaged: points are computed again
  }
}

std::vector<Regraded> Store::undo(const Regrading &what, const StepFiles &steps, const std::string &order) {
  std::vector<Regraded> theirs = regraded(what.id);
  // What was graded since is newer than what would come back.
  std::erase_if(theirs, [&](const Regraded &r) { return number_of_result(r.student, r.task) != r.after; });
  Transaction transaction(*database_);
  std::vector<std::string> students;
  for (const Regraded &r : theirs) students.push_back(r.student);
  for (const Regraded &r : theirs) keep_result(r.student, r.task, r.before);
  change_only({}, steps, [&] {
    database_
        ->prepare(
            "UPDATE grading_now SET grading = (SELECT c.before FROM regrading_conditions c WHERE c.regrading "
            "= ?1 "
            "AND c.step = grading_now.step) WHERE EXISTS (SELECT 1 FROM regrading_conditions c WHERE "
            "c.regrading "
            "= ?1 AND c.step = grading_now.step AND c.after = grading_now.grading)")
        .integer(what.id)
        .run();
    // What was undone counts for no later submission; of those before it, the newest does again.
    for (const Regraded &r : theirs)
      for (const char *change : {"UPDATE result SET counts = -1 WHERE id = ?1",
                                 "UPDATE result SET counts = 1 WHERE id = (SELECT max(o.id) FROM result o "
                                 "JOIN result u ON o.grading = u.grading AND o.file = u.file WHERE u.id = ?1 "
                                 "AND o.counts = 0 AND NOT EXISTS (SELECT 1 FROM result c WHERE c.grading = "
                                 "u.grading AND c.file = u.file AND c.counts = 1))"})
        database_->prepare(change).integer(r.after).run();
  });
  for (const Regraded &r : theirs) {  // who would have it anyway need not keep it
    follow(r.student, r.task);
    if (number_of_result(r.student, r.task) != r.before) keep_result(r.student, r.task, r.before);
  }
  database_->prepare("UPDATE regrading SET undone = CURRENT_TIMESTAMP, undone_by = ? WHERE id = ?")
      .text(order)
      .integer(what.id)
      .run();
  transaction.commit();
  return theirs;
}

}  // namespace warpgrade::batch
