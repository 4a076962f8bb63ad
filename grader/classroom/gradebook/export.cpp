#include <fmt/format.h>

#include <set>

#include "base/csv.hpp"
#include "batch/exports.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_policy.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/variant_rules.hpp"
#include "gradebook/waiting.hpp"
#include "platforms/platform.hpp"
#include "score/without_gpu.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

void note(const std::string &sentence) {
  fmt::print(stderr, "{}\n", for_terminal(sentence));
}

void note_students(const std::vector<std::string> &students, const char *what) {
  if (!students.empty())
    note(fmt::format("{} student{} {}: {}", students.size(), students.size() == 1 ? "" : "s", what,
                     fmt::join(students, ", ")));
}

/// What is in a class's folder besides what people put there.
bool is_of_the_class(const fs::path &target, const fs::path &folder) {
  const fs::path below = fs::weakly_canonical(target).lexically_relative(fs::weakly_canonical(folder));
  if (below.empty() || *below.begin() == "..") return false;
  const std::string top = below.begin()->string();
  static const std::set<std::string> ours = {".",          "reports",          "slurm",          "grades.csv",
                                             "class.html", "leaderboard.html", "pseudonyms.json"};
  return ours.contains(top) || top.starts_with("gradebook.");
}

/// Which nobody should lose by a mistyped --out. `text`: what is to be written.
void check_target(const ExportOptions &w, const fs::path &target, const std::string &text) {
  refuse_to_replace(target, std::string(platforms::beginning_of(*w.platform, text)),
                    "an earlier export of this format");
}

void fill(const ExportOptions &w, const platforms::ClassGrades &grades) {
  const std::string exported = read_whole(w.file);
  platforms::Filled filled;
  try {
    filled = w.platform->exports.fill(exported, grades, w.fill);
  } catch (const CsvError &e) {
    throw UsageError(fmt::format("{}: {}", w.file, e.what()));
  }
  check_target(w, w.out, filled.text);
  write_whole(w.out, filled.text);
  for (const std::string &sentence : filled.notes) note(sentence);
  fmt::print("{}: {} of {} grades filled in\n", w.out, filled.grades, grades.students.size());
}

/// A file a student: OUT/<student>/results.json. Whoever is still to be graded has none.
void write_folders(const ExportOptions &w, const batch::Store &store, const platforms::ClassGrades &grades) {
  const platforms::Exports &exports = w.platform->exports;
  std::vector<fs::path> files;
  for (const platforms::StudentGrades &s : grades.students) {
    files.push_back(fs::path(w.out) / batch::folder_of(store, s.student) / exports.student_file);
    check_target(w, files.back(), exports.of_student(s));
  }
  std::vector<std::string> pending, looked_at;
  std::size_t written = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const platforms::StudentGrades &s = grades.students[i];
    const fs::path &file = files[i];
    if (s.standing == platforms::Standing::pending) {
      pending.push_back(s.student);
      fs::remove(file);  // of an earlier export, and of an earlier handin
      continue;
    }
    if (s.standing == platforms::Standing::grader_error) looked_at.push_back(s.student);
    fs::create_directories(file.parent_path());
    write_whole(file, exports.of_student(s));
    ++written;
  }
  note_students(pending, "not yet graded, so without a file");
  note_students(looked_at, "on whose files the grader failed: a person must look");
  fmt::print("{}: {} of {} students\n", w.out, written, grades.students.size());
}

void write_class(const ExportOptions &w, const platforms::ClassGrades &grades) {
  const std::string text = w.platform->exports.of_class(grades);
  check_target(w, w.out, text);
  write_whole(w.out, text);
  fmt::print("{}: {} students\n", w.out, grades.students.size());
}

/// Points that wait look like lost ones in another system, so nothing with such points is written unasked.
void check_waiting(const ExportOptions &w, const batch::Export &exported, bool gpu) {
  const std::string waiting = points_that_wait(exported.grades, gpu);
  if (waiting.empty()) return;
  if (!w.partial)
    throw UsageError(
        fmt::format("{}. {}, or export the grades without these points with --partial: they then count as 0. "
                    "Nothing was written",
                    waiting, what_decides_them(exported.grades, gpu)));
  note(waiting + " and count as 0 here");
}

void check(const ExportOptions &w) {
  const platforms::Exports &exports = w.platform->exports;
  const bool fills = exports.fill != nullptr;
  if (fills && w.file.empty())
    throw UsageError(
        fmt::format("--format {0} fills in a file that {1} exported. Export it there, and type its path too: "
                    "gradebook export {2} FILE --format {0}",
                    w.format, w.platform->title, shell_word(w.folder)));
  if (!fills && (!w.file.empty() || !w.fill.column.empty() || !w.fill.id_column.empty()))
    throw UsageError(
        fmt::format("--format {} fills no file: no FILE, --column or --id-column goes with it", w.format));
  if (exports.needs_column && w.fill.column.empty())
    throw UsageError(fmt::format(
        "--format {} needs --column: the title of the assignment's column in the file", w.format));
  if (is_of_the_class(w.out, w.folder))
    throw UsageError(
        fmt::format("--out {}: this place belongs to the class itself; name another place", w.out));
  std::error_code none;
  if (fills && fs::equivalent(w.out, w.file, none))
    throw UsageError(fmt::format(
        "--out {}: this is the exported file itself, which is never changed; name another", w.out));
}

}  // namespace

int export_grades(ExportOptions w) {
  w.platform = platforms::find(w.format);
  check(w);

  const batch::Store store(w.folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  const course::Thresholds thresholds = thresholds_of(store, course.folder, course.assignment);
  batch::Export exported = batch::export_of(store, course.assignment, rules_of(course, thresholds));
  add_notes(exported.grades, w.service);
  const bool gpu = batch::device_of(store, course.assignment).gpu;
  check_waiting(w, exported, gpu);
  for (const std::string &sentence :
       {score::sentence_without_gpu(course.assignment, thresholds, gpu), remark_on_policy(store, course)})
    if (!sentence.empty()) note(sentence);
  if (w.platform->exports.fill != nullptr)
    fill(w, exported.grades);
  else if (w.platform->exports.of_student != nullptr)
    write_folders(w, store, exported.grades);
  else
    write_class(w, exported.grades);
  if (!w.service.unread.empty())
    note(fmt::format("{}, so they may be missing from the export: {}", decisions_unread, w.service.unread));
  if (!w.service.undecided.empty())
    note(fmt::format("{}: {}", fmt::join(w.service.undecided, ", "), points_to_carry_out));
  note_students(exported.outdated,
                fmt::format("{} scored before the YAML files changed; run 'gradebook rescore {}' first",
                            exported.outdated.size() == 1 ? "was" : "were", shell_word(w.folder))
                    .c_str());
  return conclude_with_damage(store, course.assignment, full_score);
}

}  // namespace warpgrade::gradebook
