#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "gpu/retired.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/shared_files.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

void print_class(const batch::Store &store, const ClassCourse &course) {
  const batch::Store::StepFiles steps = batch::steps_of(course.assignment);
  const std::size_t total = store.tasks(steps), pending = store.pending(steps).size();
  const grading::DeviceRecord device = batch::device_of(store, course.assignment);
  fmt::print("{}: {} on {}, seed {}\n", store.folder().string(), course.assignment.name, device.name,
             store.info()->seed);
  fmt::print("{} of {} different files are graded\n", total - pending, total);
  std::map<std::string, std::size_t> by_status;
  const std::vector<std::string> students = store.students();
  for (const std::string &id : students) {
    const auto row = store.score(id);
    ++by_status[row ? row->status : batch::pending];
  }
  fmt::print("{} student{}", students.size(), students.size() == 1 ? "" : "s");
  for (const auto &[status, count] : by_status) fmt::print(", {} {}", count, status);
  const std::size_t superseded = store.superseded();
  fmt::print("; {} handin{} superseded by later ones\n", superseded, superseded == 1 ? " was" : "s were");
  for (const gpu::RetiredGpu &gpu : gpu::retired_gpus(std::filesystem::temp_directory_path().string()))
    fmt::print("{}\n", for_terminal(gpu.sentence));
  for (const batch::Task &task : store.with_verdict(steps, judge::Verdict::grader_error))
    fmt::print("the grader failed on {}\n", failure_of(store, task));
  for (const std::string &id : students)
    if (const batch::Student s = store.student(id); !s.id_mismatch.empty())
      fmt::print("whose is it: {}: {}\n", for_terminal(id), for_terminal(s.id_mismatch));
  for (const SharedFile &shared : shared_files(store, course))
    fmt::print("{}: {}\n", in_words(shared.likeness), for_terminal(words_of(shared)));
  for (const std::string &id : students)
    for (const score::Override &o : store.overrides(id))
      fmt::print("by hand: {} {}: {} points: {}\n", for_terminal(id), o.step, points(o.points),
                 for_terminal(o.reason));
}

/// Students are told only how many of them pass.
void print_failed_hidden_cases(const grading::SubmissionRecord &record, const std::string &step) {
  for (const grading::StepRecord &r : record.steps) {
    if (r.id != step) continue;
    for (const judge::CaseVerdict &c : r.cases)
      if (c.visibility == course::Visibility::hidden && c.ran() && c.verdict != judge::Verdict::accepted)
        fmt::print("    hidden: {}: {}: {}\n", c.name, judge::name_of(c.verdict), for_terminal(c.reason));
  }
}
}  // namespace

void print_student(const batch::Store &store, const batch::RulesOf &rules, const std::string &id) {
  const batch::Scored s = batch::score_student(store, rules, id);
  const std::string name = s.student.name.empty() ? "" : fmt::format(" ({})", for_terminal(s.student.name));
  fmt::print("{}{}: {}", for_terminal(id), name, s.row.status);
  if (s.complete) fmt::print(", {}/{}", points(s.row.points), points(s.row.max_points));
  fmt::print("\n");
  if (s.student.handed_in_something()) fmt::print("  handed in as {}\n", for_terminal(s.student.source));
  if (!s.student.refused.empty()) fmt::print("  archive_refused: {}\n", for_terminal(s.student.refused));
  if (!s.student.id_mismatch.empty()) fmt::print("  whose is it: {}\n", for_terminal(s.student.id_mismatch));
  for (const std::string &note : s.student.notes) fmt::print("  note: {}\n", for_terminal(note));
  for (std::size_t i = 0; i < s.row.steps.size(); ++i) {
    const batch::ScoreRow::Step &step = s.row.steps[i];
    fmt::print("  {:<10} {:<18} {}/{}{}\n", step.id, step.verdict.empty() ? batch::pending : step.verdict,
               step.points ? points(*step.points) : "-", points(step.max_points),
               s.score.steps[i].by_hand ? " by hand: " + for_terminal(s.score.steps[i].by_hand->reason) : "");
    print_failed_hidden_cases(s.record, step.id);
  }
}

int status(const std::string &folder, const std::vector<std::string> &ids) {
  const batch::Store store(folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  if (ids.empty()) {
    print_class(store, course);
    return full_score;
  }
  const std::vector<std::string> known = store.students();
  const batch::RulesOf rules = rules_of(store, course);
  for (const std::string &id : ids) {
    if (!std::binary_search(known.begin(), known.end(), id))
      throw UsageError(fmt::format("there is no student '{}' in {}", id, folder));
    print_student(store, rules, id);
  }
  return full_score;
}

}  // namespace warpgrade::gradebook
