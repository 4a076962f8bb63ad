#include "gradebook/class_files.hpp"

#include <set>

#include "gradebook/class_slurm.hpp"
#include "report/report.hpp"
#include "setup/files.hpp"
#include "variants/written_course.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

fs::path report_of(const batch::Store &store, const std::string &student) {
  return store.folder() / "reports" / batch::folder_of(store, student) / "score.json";
}

}  // namespace

course::Thresholds thresholds_of(const batch::Store &store, const fs::path &assignment_folder,
                                 const course::Assignment &a) {
  const grading::DeviceRecord device = batch::device_of(store, a);
  return course::read_thresholds(assignment_folder, a, device.gpu ? device.name : "none");
}

void write_report(batch::Store &store, const batch::Scored &scored) {
  const std::string &id = scored.student.id;
  const fs::path file = report_of(store, id);
  // From before there was a student whose id differs in case alone: on some file systems it is that one's
  // too.
  if (const fs::path before = store.folder() / "reports" / batch::folder_name(id);
      before != file.parent_path())
    fs::remove_all(before);
  fs::create_directories(file.parent_path());
  write_whole(file, report::to_json({*scored.rules.assignment, *scored.rules.thresholds, scored.record,
                                     scored.score, "./grade {step}", false}));
  store.reported(id);
}

std::string report_text(const batch::Store &store, const std::string &student) {
  return read_or_empty(report_of(store, student));
}

void put_report(batch::Store &store, const std::string &student, const std::string &text) {
  fs::create_directories(report_of(store, student).parent_path());
  write_whole(report_of(store, student), text);
  store.reported(student);
}

void write_grades(const batch::Store &store, const course::Assignment &a) {
  write_whole(store.folder() / "grades.csv", batch::grades_csv(store, a));
}

bool write_all(batch::Store &store, const course::Assignment &a, const batch::RulesOf &rules,
               const std::function<bool()> &stop) {
  const std::vector<std::string> behind = store.unreported();
  const std::set<std::string> unreported(behind.begin(), behind.end());
  bool finished = true;
  for (const std::string &id : store.students()) {
    if (finished = !stop(); !finished) break;
    std::optional<batch::Scored> found;
    try {
      found = batch::score_student(store, rules, id);
    } catch (const variants::UnreadableVariant &) {
      continue;
    }
    const batch::Scored &scored = *found;
    if (!scored.complete) continue;
    const bool changed = store.score(id) != scored.row;
    if (changed) store.keep_score(scored.row);
    if (changed || unreported.contains(id) || !fs::exists(report_of(store, id))) write_report(store, scored);
  }
  write_grades(store, a);
  return finished;
}

void remove_unfinished(const fs::path &folder) {
  std::vector<fs::path> unfinished;
  std::error_code none;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(folder, none); !none && entry != end; entry.increment(none)) {
    if (entry->path().extension() == ".new") unfinished.push_back(entry->path());
    // Tasks on other machines may be writing there.
    if (entry.depth() == 0 && entry->path().filename() == slurm_folder_name)
      entry.disable_recursion_pending();
  }
  for (const fs::path &file : unfinished) fs::remove(file, none);
}

}  // namespace warpgrade::gradebook
