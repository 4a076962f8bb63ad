#include "gradebook/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

using FilesOfStudents = std::map<std::string, std::vector<batch::PreviewFile>>;

FilesOfStudents files_of(const batch::Store &store, const std::set<std::string> &only) {
  FilesOfStudents all;
  for (batch::PreviewFile &f : store.preview_files())
    if (only.empty() || only.contains(f.student)) all[f.student].push_back(std::move(f));
  return all;
}

/// Whether these are the files that count now and have a result.
bool still_counts(const batch::Store &store, const course::Assignment &a, const std::string &student,
                  const std::vector<batch::PreviewFile> &files) {
  std::size_t now = 0;
  const batch::Student s = store.student(student);
  for (const auto &[step, file] : batch::steps_of(a)) {
    const std::string *hash = s.hash_of(file);
    if (!hash || store.place_of_result(student, {step, *hash}).empty()) continue;
    ++now;
    if (std::none_of(files.begin(), files.end(), [&, &id = step](const batch::PreviewFile &f) {
          return f.task == batch::Task{id, *hash};
        }))
      return false;
  }
  return now == files.size();
}

const batch::ScoreRow::Step *step_in(const batch::ScoreRow &row, const std::string &id) {
  for (const batch::ScoreRow::Step &step : row.steps)
    if (step.id == id) return &step;
  return nullptr;
}

/// What a preview knows of one student.
struct OneStudent {
  std::map<std::string, const batch::PreviewFile *> files;        ///< by step
  std::map<std::string, std::optional<grading::StepRecord>> now;  ///< by step; none: still to be run
};

OneStudent look_at(const batch::Store &store, const std::vector<batch::PreviewFile> &files) {
  OneStudent one;
  for (const batch::PreviewFile &f : files) {
    one.files[f.task.step] = &f;
    one.now[f.task.step] = store.previewed(f);
  }
  return one;
}

std::string conditions_that_changed(const batch::Store &store, const batch::PreviewFile &f) {
  std::string words = batch::difference(store.conditions_of(f.student, f.task), f.grading.conditions);
  return words.empty() ? "run again under the same conditions" : words;
}

/// before: what counts; middle: its results with the YAML files of now; after: with the results of the preview.
StudentChange change_of(const batch::Store &store, const OneStudent &one, const batch::ScoreRow &before,
                        const batch::Scored &middle, const batch::Scored &after, const std::string &rule) {
  StudentChange change{after.student.id,
                       after.student.name,
                       before.points,
                       after.row.points,
                       before.max_points,
                       after.row.max_points,
                       {},
                       ""};
  for (std::size_t i = 0; i < after.row.steps.size(); ++i) {
    const batch::ScoreRow::Step &now = after.row.steps[i];
    const batch::ScoreRow::Step *was = step_in(before, now.id);
    StepChange step{now.id,
                    was ? was->verdict : "",
                    now.verdict,
                    "",
                    "",
                    was ? was->points.value_or(0) : 0,
                    now.points.value_or(0),
                    "",
                    after.score.steps[i].by_hand.has_value()};
    if (step.verdict_before == step.verdict_now && step.points_before == step.points_now) continue;
    const batch::ScoreRow::Step *between = step_in(middle.row, now.id);
    std::vector<std::string> why;
    if (const auto file = one.files.find(now.id);
        file != one.files.end() && between &&
        (between->verdict != now.verdict || between->points != now.points))
      why.push_back(conditions_that_changed(store, *file->second));
    if (!between || between->points.value_or(0) != step.points_before) why.push_back(rule);
    step.why = fmt::format("{}", fmt::join(why, ", "));
    step.reason_before = middle.record.steps[i].reason;
    step.reason_now = after.record.steps[i].reason;
    change.steps.push_back(std::move(step));
  }
  if (change.steps.empty() && (change.before != change.now || change.max_before != change.max_now))
    change.why = rule;
  return change;
}

/// Whatever points follow from besides results and YAML files.
std::string rest_of(const batch::Store &store, const course::Assignment &a, const std::string &student) {
  nlohmann::json rest = nlohmann::json::array();
  for (const score::Override &o : store.overrides(student))
    rest.push_back({o.step, o.points, for_json(o.reason)});
  const batch::Student s = store.student(student);
  rest.push_back({for_json(s.source), s.handed_in, s.late});
  for (const auto &[name, hash] : s.files) rest.push_back({for_json(name), hash});
  for (const course::Step &exam : a.exams)
    if (const auto taken = store.exam(student, exam.id))
      rest.push_back({exam.id, batch::hash_of(taken->questions)});
  return rest.dump();
}

std::string names_of(const std::vector<std::string> &students) {
  return for_terminal(fmt::format("{}", fmt::join(students, ", ")));
}

}  // namespace

std::vector<batch::PreviewFile> files_to_preview(const batch::Store &store, const course::Assignment &a,
                                                 const ConditionsOfStep &now,
                                                 const std::vector<std::string> &students, bool again) {
  std::vector<batch::PreviewFile> files;
  std::map<std::pair<std::string, std::string>, batch::Grading> conditions;  // by step and variant
  for (const std::string &id : students) {
    const batch::Student student = store.student(id);
    for (const auto &[step, name] : batch::steps_of(a)) {
      const std::string *hash = student.hash_of(name);
      if (!hash || store.place_of_result(id, {step, *hash}).empty() || !store.file(*hash)) continue;
      const std::string variant = store.variant_of(*hash);
      const auto [own, fresh] = conditions.try_emplace({step, variant});
      if (fresh) own->second = now(find_step(a, step), variant);
      const auto record = store.result_that_counts(id, {step, *hash});
      const bool ours = !record || record->verdict == judge::Verdict::grader_error;
      files.push_back({id, {step, *hash}, own->second, again || ours});
    }
  }
  return files;
}

std::string hash_of_course(const fs::path &assignment_folder) {
  std::map<std::string, std::string> files;
  for (const fs::path &folder : {assignment_folder, assignment_folder / ".." / "gpus"}) {
    std::error_code none;
    for (const auto &entry : fs::recursive_directory_iterator(folder, none))
      if (entry.is_regular_file() && entry.path().extension() == ".yaml")
        files[fs::relative(entry.path(), assignment_folder).string()] =
            batch::hash_of(read_or_empty(entry.path()));
  }
  return batch::hash_of(nlohmann::json(files).dump());
}

PreviewList list_preview(const batch::Store &store, const batch::RulesOf &rules,
                         const std::set<std::string> &only) {
  PreviewList list;
  const std::optional<batch::Preview> preview = store.preview();
  if (!preview) return list;
  const bool other_policy = preview->without_gpu != store.info()->without_gpu;
  const std::string rule = other_policy ? "without_gpu" : "points, thresholds or lateness in the YAML files";
  std::set<std::pair<std::string, std::string>> tasks;
  for (const auto &[id, files] : files_of(store, only)) {
    for (const batch::PreviewFile &f : files) tasks.emplace(f.task.step, f.task.file);
    const OneStudent one = look_at(store, files);
    const batch::Scored middle = batch::score_student(store, rules, id);
    const std::optional<batch::ScoreRow> before = store.score(id);
    if (!before || !still_counts(store, *middle.rules.assignment, id, files)) {
      list.newer.push_back(id);
      continue;
    }
    if (std::any_of(one.now.begin(), one.now.end(), [](const auto &step) { return !step.second; })) {
      list.waiting.push_back(id);
      continue;
    }
    const batch::Scored after = batch::score_student(store, rules, id, [&](const batch::Task &task) {
      const auto record = one.now.find(task.step);
      return record == one.now.end() ? std::nullopt : record->second;
    });
    StudentChange change = change_of(store, one, *before, middle, after, rule);
    const std::string ours(judge::name_of(judge::Verdict::grader_error));
    if (std::any_of(change.steps.begin(), change.steps.end(),
                    [&](const StepChange &s) { return s.verdict_now == ours && s.verdict_before != ours; })) {
      list.failed.push_back(id);
    } else if (change.steps.empty() && change.why.empty()) {
      list.same.push_back(id);
    } else {
      list.up += change.now > change.before;
      list.down += change.now < change.before;
      list.changes.push_back(std::move(change));
    }
  }
  list.files = tasks.size();
  for (const batch::Task &task : store.to_preview()) list.to_run += tasks.contains({task.step, task.file});
  return list;
}

std::string summary_of(const PreviewList &list) {
  const std::size_t students =
      list.changes.size() + list.same.size() + list.waiting.size() + list.newer.size() + list.failed.size();
  std::string text = fmt::format("{} of {} student{} would change: {} up, {} down.", list.changes.size(),
                                 students, students == 1 ? "" : "s", list.up, list.down);
  if (!list.waiting.empty())
    text += fmt::format(" {} wait{} for {} file{} that {} still to be run.", list.waiting.size(),
                        list.waiting.size() == 1 ? "s" : "", list.to_run, list.to_run == 1 ? "" : "s",
                        list.to_run == 1 ? "is" : "are");
  return text;
}

std::string csv_of(const PreviewList &list) {
  std::string csv =
      csv_row({"student", "name", "step", "verdict_before", "verdict_now", "points_before", "points_now",
               "why", "reason_before", "reason_now", "total_before", "total_now", "max_before", "max_now"});
  for (const StudentChange &c : list.changes) {
    const auto row = [&](const std::string &step, std::vector<std::string> middle) {
      std::vector<std::string> cells = {csv_text(c.student), csv_text(c.name), csv_text(step)};
      cells.insert(cells.end(), middle.begin(), middle.end());
      for (const double total : {c.before, c.now, c.max_before, c.max_now}) cells.push_back(points(total));
      csv += csv_row(cells);
    };
    for (const StepChange &s : c.steps)
      row(s.step, {s.verdict_before, s.verdict_now, points(s.points_before), points(s.points_now),
                   csv_text(s.why + (s.by_hand ? "; points by hand stay" : "")), csv_text(s.reason_before),
                   csv_text(s.reason_now)});
    if (c.steps.empty()) row("", {"", "", "", "", csv_text(c.why), "", ""});
  }
  return csv;
}

std::string changed_since_preview(const batch::Store &store, const ClassCourse &course,
                                  const std::string &course_now) {
  const std::optional<batch::Preview> preview = store.preview();
  if (!preview) return "";
  if (preview->version != WARPGRADE_VERSION)
    return fmt::format("version ({} then, {} now)", preview->version, WARPGRADE_VERSION);
  const course::Thresholds thresholds = thresholds_of(store, course.folder, course.assignment);
  ConditionsOfVariants all(course);
  std::map<std::pair<std::string, std::string>, std::string> now;  // by step and variant
  for (const batch::PreviewFile &f : store.preview_files()) {
    const auto [own, fresh] = now.try_emplace({f.task.step, f.grading.variant});
    if (fresh) {
      const auto conditions = nlohmann::json::parse(f.grading.conditions);
      const batch::ClassSetup same_machine{&course.assignment,
                                           &thresholds,
                                           course.folder,
                                           course.root / "starter" / course.assignment.name,
                                           conditions.value("seed", std::uint64_t{0}),
                                           batch::device_of(store, course.assignment),
                                           conditions.value("compiler", ""),
                                           WARPGRADE_VERSION,
                                           ""};
      own->second =
          all.of(same_machine, find_step(course.assignment, f.task.step), f.grading.variant).conditions;
    }
    if (const std::string words = batch::difference(f.grading.conditions, own->second); !words.empty())
      return words;
  }
  return preview->course == course_now ? "" : "the YAML files";
}

batch::ScoreBefore score_before(const batch::Store &store, const course::Assignment &a,
                                const std::string &student) {
  return {store.score(student).value_or(batch::ScoreRow{student, batch::pending, 0, 0, 0, 0, 0, {}}),
          report_text(store, student), rest_of(store, a, student)};
}

Applied apply_preview(batch::Store &store, const ClassCourse &course, const batch::RulesOf &rules,
                      const std::vector<std::string> &students, std::string_view actor,
                      const std::string &order) {
  const std::optional<batch::Preview> preview = store.preview();
  if (!preview) throw UsageError("there is no preview to apply: --preview makes one");
  if (const std::string changed = changed_since_preview(store, course, hash_of_course(course.folder));
      !changed.empty())
    throw UsageError(fmt::format(
        "{} changed since the preview, so it no longer says what would happen. Nothing was applied. "
        "--preview brings it up to date; only what the change concerns is run again",
        changed));
  Applied done;
  done.list = list_preview(store, rules);
  std::set<std::string> can(done.list.same.begin(), done.list.same.end());
  for (const StudentChange &c : done.list.changes) can.insert(c.student);
  const auto in = [](const std::vector<std::string> &all, const std::string &id) {
    return std::find(all.begin(), all.end(), id) != all.end();
  };
  for (const std::string &id : students) {
    if (can.contains(id)) continue;
    const std::string who = for_terminal(id);
    throw UsageError(
        in(done.list.waiting, id)
            ? fmt::format("{} has files that are still to be run: --preview continues. Nothing was applied",
                          who)
        : in(done.list.newer, id) ? fmt::format("{} handed in something else or was graded again since the "
                                                "preview: --preview again. Nothing was applied",
                                                who)
        : in(done.list.failed, id)
            ? fmt::format(
                  "the grader failed on {} in the preview: --preview tries again. Nothing was applied", who)
            : fmt::format("{} is not in the preview. Nothing was applied", who));
  }
  if (students.empty() && !done.list.waiting.empty())
    throw UsageError(fmt::format("{} file{} still to be run: --preview continues. Nothing was applied",
                                 done.list.to_run, done.list.to_run == 1 ? " is" : "s are"));
  done.students = students.empty() ? std::vector<std::string>(can.begin(), can.end()) : students;
  std::sort(done.students.begin(), done.students.end());
  done.students.erase(std::unique(done.students.begin(), done.students.end()), done.students.end());
  if (done.students.empty()) throw UsageError("the preview has nobody to whom it could be applied");
  const course::WithoutGpu policy = store.info()->without_gpu;
  const bool other_policy = preview->without_gpu != policy;
  if (other_policy) {
    std::set<std::string> left;
    for (const batch::Standing &s : store.standings(batch::steps_of(course.assignment)))
      left.insert(s.student);
    for (const std::string &id : done.students) left.erase(id);
    if (!left.empty())
      throw UsageError(
          fmt::format("without_gpu counts for a whole class, and this would leave out {}. Nothing was "
                      "applied: preview and "
                      "apply --all",
                      names_of({left.begin(), left.end()})));
  }
  std::set<std::string> whys;
  std::size_t changed = 0;
  for (const StudentChange &c : done.list.changes)
    if (in(done.students, c.student)) {
      ++changed;
      if (!c.why.empty()) whys.insert(c.why);
      for (const StepChange &s : c.steps) whys.insert(s.why);
    }
  done.detail =
      fmt::format("{} student{}, {} changed{}{}", done.students.size(), done.students.size() == 1 ? "" : "s",
                  changed, whys.empty() ? "" : ": ", fmt::join(whys, "; "));
  batch::Regrading what{0, std::string(actor), done.detail, ""};
  what.order = order;
  if (other_policy) what.without_gpu = policy;
  std::vector<batch::Scored> scored;
  store.at_once([&] {
    store.apply_preview(done.students, batch::steps_of(course.assignment), what,
                        [&](const std::string &id) { return score_before(store, course.assignment, id); });
    if (other_policy) {
      batch::ClassInfo info = *store.info();
      info.without_gpu = preview->without_gpu;
      store.begin(info);
    }
    for (const std::string &id : done.students) {
      scored.push_back(batch::score_student(store, rules, id));
      if (scored.back().complete) store.keep_score(scored.back().row);
    }
    if (store.preview_files().empty()) store.end_preview();
  });
  for (const batch::Scored &s : scored)
    if (s.complete) write_report(store, s);
  write_grades(store, course.assignment);
  return done;
}

Undone undo_regrading(batch::Store &store, const ClassCourse &course, const batch::RulesOf &rules,
                      const std::string &order) {
  const std::optional<batch::Regrading> what = store.latest_regrading();
  if (!what) throw UsageError("there is nothing to undo: no regrading was applied, or all were undone");
  Undone done{*what, {}, {}, {}};
  std::map<std::string, std::size_t> changed, back;
  for (const batch::Regraded &r : store.regraded(what->id)) ++changed[r.student];
  std::vector<batch::Scored> scored;
  std::map<std::string, std::string> reports;
  store.at_once([&] {
    for (const batch::Regraded &r : store.undo(*what, batch::steps_of(course.assignment), order))
      ++back[r.student];
    if (what->without_gpu) {
      batch::ClassInfo info = *store.info();
      info.without_gpu = *what->without_gpu;
      store.begin(info);
    }
    for (const std::string &id : store.students()) {
      const std::optional<batch::ScoreBefore> before = store.score_before(what->id, id);
      if (!before && !changed.contains(id)) continue;
      if (changed[id] != back[id]) done.kept.push_back(id);
      if (changed[id] > 0 && back[id] == 0) continue;
      done.students.push_back(id);
      // By the rules of now, which may be others than those of then.
      scored.push_back(batch::score_student(store, rules, id));
      if (!scored.back().complete) {  // damaged, or not graded yet: as it was
        if (!before || changed[id] != back[id]) continue;
        store.keep_score(before->row);
        reports[id] = before->report;
        continue;
      }
      store.keep_score(scored.back().row);
      if (!before || changed[id] != back[id] || before->rest != rest_of(store, course.assignment, id) ||
          scored.back().row != before->row)
        done.recomputed.push_back(id);
    }
  });
  for (const batch::Scored &s : scored)
    if (s.complete) write_report(store, s);
  for (const auto &[id, text] : reports) put_report(store, id, text);
  write_grades(store, course.assignment);
  return done;
}

}  // namespace warpgrade::gradebook
