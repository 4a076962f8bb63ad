#include "batch/scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "grading/exam.hpp"
#include "grading/grading.hpp"

namespace warpgrade::batch {

namespace {

std::string status_of(const Scored &s) {
  if (!s.complete) return pending;
  if (!s.student.refused.empty()) return archive_refused;
  const auto any = [&](auto holds) { return std::any_of(s.score.steps.begin(), s.score.steps.end(), holds); };
  const bool by_hand = any([](const score::StepScore &step) { return step.by_hand.has_value(); });
  if (!by_hand && !s.student.handed_in_something()) return not_submitted;
  if (!by_hand && !s.has_steps) return missing;
  for (std::size_t i = 0; i < s.score.steps.size(); ++i)
    if (s.record.steps[i].verdict == judge::Verdict::grader_error && !s.score.steps[i].by_hand)
      return grader_error;
  return by_hand ? overridden : graded;
}

}  // namespace

Store::StepFiles steps_of(const course::Assignment &a) {
  Store::StepFiles steps;
  for (const course::Step &step : a.steps)
    if (!step.beyond) steps.emplace_back(step.id, step.path().string());
  return steps;
}

grading::DeviceRecord device_of(const Store &store, const course::Assignment &a) {
  for (const auto &[step, file] : steps_of(a))
    if (const auto grading = store.grading_of(step)) return grading->device;
  return {};
}

RulesOf same_rules(const course::Assignment &a, course::Thresholds thresholds) {
  const auto kept = std::make_shared<const course::Thresholds>(std::move(thresholds));
  return [&a, kept](const Store &, const Student &) { return Rules{&a, kept.get()}; };
}

Scored score_student(const Store &store, const RulesOf &rules, const std::string &id,
                     const InPlaceOf &other) {
  Scored s;
  s.student = store.student(id);
  s.rules = rules(store, s.student);
  const course::Assignment &a = *s.rules.assignment;
  s.complete = true;
  s.record = {a.name, s.student.source, 0, device_of(store, a), {}, s.student.notes, s.student.refused};
  std::vector<bool> known;
  for (const course::Step &step : a.steps) {
    if (step.beyond) continue;
    const std::string *hash = s.student.hash_of(step.path().string());
    std::optional<grading::StepRecord> record;
    bool damaged = false;
    if (hash) {
      s.has_steps = true;
      const Task task{step.id, *hash};
      if (other) record = other(task);
      if (!record) record = store.result_that_counts(id, task);
      damaged = !record && !store.place_of_result(id, task).empty();
      s.damaged |= damaged;
    } else {
      record =
          grading::missing_step(step, !s.student.refused.empty() ? "nothing was graded: " + s.student.refused
                                      : s.student.handed_in_something() ? step.file + " was not handed in"
                                                                        : "nothing was handed in");
    }
    known.push_back(record.has_value());
    s.complete = s.complete && record;
    s.record.steps.push_back(
        record ? std::move(*record)
               : grading::our_failure(step, damaged ? "the stored result is damaged" : "not graded yet"));
    s.record.steps.back().title = step.title;
    // Each file has a seed of its own, and its cases say it; the class's is not for students.
    if (const auto &cases = s.record.steps.back().cases; s.record.seed == 0 && !cases.empty())
      s.record.seed = cases.front().seed;
  }
  for (const course::Step &exam : a.exams) {
    const std::optional<ExamRow> taken = store.exam(id, exam.id);
    known.push_back(taken || !s.student.handed_in_something());
    s.record.steps.push_back(taken ? taken->record
                             : s.student.handed_in_something()
                                 ? grading::exam_to_come(exam)
                                 : grading::missing_step(exam, "nothing was handed in"));
    s.record.steps.back().title = exam.title;
  }
  s.score = score::with_overrides(score::score(a, *s.rules.thresholds, s.record), store.overrides(id));
  if (!s.score.without_gpu.empty()) {
    s.student.notes.push_back(s.score.without_gpu);
    s.record.notes.push_back(s.score.without_gpu);
  }
  const score::HandedIn handed_in{s.student.late,
                                  s.student.time_known ? std::optional(s.student.handed_in) : std::nullopt};
  s.score = score::with_lateness(std::move(s.score), score::lateness(a.late, id, handed_in));
  if (s.score.late) {
    s.student.notes.push_back(score::sentence(*s.score.late));
    s.record.notes.push_back(s.student.notes.back());
  }
  s.row = {id,
           status_of(s),
           s.score.points,
           s.score.max_points,
           s.score.ungraded_points,
           s.score.extra_credit,
           s.score.late ? s.score.late->days : 0,
           {}};
  for (std::size_t i = 0; i < s.score.steps.size(); ++i) {
    const score::StepScore &step = s.score.steps[i];
    if (step.by_hand) known[i] = true;  // also of an exam that was not taken here
    s.row.steps.push_back({step.id, known[i] ? std::string(judge::name_of(s.record.steps[i].verdict)) : "",
                           known[i] ? std::optional(step.points) : std::nullopt, step.max_points,
                           step.ungraded_points});
  }
  return s;
}

std::vector<Damage> damage_in(const Store &store, const course::Assignment &a) {
  std::map<std::pair<std::string, std::string>, std::vector<Damage>>
      known;  // identical results are read once
  std::vector<Damage> all;
  for (const std::string &id : store.students()) {
    const Student student = store.student(id);
    for (const auto &[step, file] : steps_of(a)) {
      const std::string *hash = student.hash_of(file);
      if (!hash) continue;
      const Task task{step, *hash};
      std::string place = store.place_of_result(id, task);
      const auto [of, fresh] = known.try_emplace({step + " " + *hash, place});
      if (fresh) {
        if (!store.file(*hash)) of->second.push_back({"", step, true, store.place_of_file(*hash)});
        if (!place.empty() && !store.result_that_counts(id, task))
          of->second.push_back({"", step, false, std::move(place)});
      }
      for (Damage damage : of->second) {
        damage.student = id;
        all.push_back(std::move(damage));
      }
    }
  }
  return all;
}

std::string grades_csv(const Store &store, const course::Assignment &a) {
  const Store::StepFiles steps = steps_of(a);
  std::set<std::string> unfinished;
  for (const Task &task : store.pending(steps)) {
    if (!store.place_of_result(task).empty()) continue;  // it is to be graded again; until then, this counts
    const auto name =
        std::find_if(steps.begin(), steps.end(), [&](const auto &s) { return s.first == task.step; });
    for (std::string &student : store.students_with(name->second, task.file))
      unfinished.insert(std::move(student));
  }
  std::vector<std::string> header = {"student"};
  std::vector<std::string> columns;
  for (const auto &[id, file] : steps) columns.push_back(id);
  for (const course::Step &exam : a.exams) columns.push_back(exam.id);
  for (const std::string &id : columns) header.push_back(csv_text(id));
  header.insert(header.end(), {"score", "max_score", "status", "late"});
  // Only where points for speed are not measured ones: nobody may take them for these.
  const bool marked = a.without_gpu != course::WithoutGpu::leave && !device_of(store, a).gpu;
  if (marked) header.emplace_back("without_gpu");
  std::string csv = csv_row(header);
  for (const std::string &student : store.students()) {
    std::vector<std::string> cells = {csv_text(student)};
    const std::optional<ScoreRow> row = unfinished.contains(student) ? std::nullopt : store.score(student);
    for (const std::string &id : columns) {
      std::string cell;
      if (row)
        for (const ScoreRow::Step &step : row->steps)
          if (step.id == id && step.points) cell = points(*step.points);
      cells.push_back(std::move(cell));
    }
    cells.push_back(row ? points(row->points) : "");
    cells.push_back(row ? points(row->max_points) : "");
    cells.push_back(row ? row->status : pending);
    cells.push_back(row && row->late_days > 0 ? std::to_string(row->late_days) : "");
    if (marked) cells.emplace_back(course::name_of(a.without_gpu));
    csv += csv_row(cells);
  }
  return csv;
}

std::string folder_name(const std::string &student, bool twin) {
  std::string name;
  for (std::size_t i = 0; i < student.size(); ++i) {
    const bool inner = i > 0 && i + 1 < student.size();  // Windows takes "bob." for "bob"
    name += percent_encoded({&student[i], 1}, inner ? "_-." : "_-");
  }
  constexpr std::size_t longest = 200;  // file systems take 255
  if (twin || name.size() > longest)
    name = name.substr(0, longest - 20) + "-" + hash_of(student).substr(0, 16);
  return name.empty() ? "%" : name;
}

std::string folder_of(const Store &store, const std::string &student) {
  return folder_name(student, store.has_twin(student));
}

}  // namespace warpgrade::batch
