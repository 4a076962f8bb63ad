// The stored facts about a class: who handed in what, the findings about each file, points, and manual
// changes. One SQLite file, DIR/gradebook.db; one writer; nothing is ever half written.
//
// A result belongs to a file, not to a student: identical files are graded once. It also belongs to a
// Grading, the conditions of grading (cases, rules, limits, seed, device, version). Points and thresholds are
// not part of that, so scores can be recomputed from results.
//
// Everything throws StoreError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/database.hpp"
#include "batch/handin.hpp"
#include "batch/lock.hpp"
#include "score/score.hpp"
#include "score/step_record.hpp"

namespace warpgrade::batch {

/// The conditions for grading one step: results with the same fingerprint may be compared.
struct Grading {
  std::string step;
  std::string fingerprint;  ///< hash of `conditions`
  std::string conditions;   ///< JSON: everything that a result depends on besides the file
  std::string provenance;   ///< JSON, for people: hashes of the YAML files, compiler, sandbox
  grading::DeviceRecord device;
  std::string variant =
      {};  ///< of the assignment: the conditions are those of its files; empty: the files as they are
  bool operator==(const Grading &) const = default;
};

struct ClassInfo {
  std::string assignment;
  std::uint64_t seed = 0;
  course::WithoutGpu without_gpu = course::WithoutGpu::leave;  ///< what it was begun with, or changed to
  bool operator==(const ClassInfo &) const = default;
};

/// A student with the submission that counts.
struct Student {
  std::string id;
  std::string name;    ///< the name on the roster; empty: unknown, or there was no roster. Untrusted
  std::string source;  ///< empty: handed in nothing
  std::int64_t handed_in = 0;
  bool time_known = false;  ///< handed_in is the platform's, not a file's
  bool late = false;        ///< the platform says so
  std::string refused;
  std::string id_mismatch;  ///< why it may be another student's
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> files;  ///< name and hash
  const std::string *hash_of(std::string_view name) const;
  bool handed_in_something() const { return !source.empty(); }
  bool operator==(const Student &) const = default;
};

/// A file to be graded as a step.
struct Task {
  std::string step;
  std::string file;  ///< its hash
  bool operator==(const Task &) const = default;
};

/// Something in the store whose bytes are not those that were written: a disk or a copy that failed. It
/// concerns one student and one step; everything else can still be used.
struct Damage {
  std::string student, step;
  bool of_file = false;  ///< the file that was handed in, not its result
  std::string place;     ///< "gradebook.db, table result, row 7"
  bool operator==(const Damage &) const = default;
};

/// A student's current points.
struct ScoreRow {
  std::string student;
  std::string status;  ///< see batch/scoring.hpp
  double points = 0, max_points = 0, ungraded_points = 0, extra_credit = 0;
  int late_days = 0;
  struct Step {
    std::string id;
    std::string verdict;           ///< empty: not yet graded
    std::optional<double> points;  ///< none: not yet graded
    double max_points = 0, ungraded_points = 0;
    bool operator==(const Step &) const = default;
  };
  std::vector<Step> steps;
  bool operator==(const ScoreRow &) const = default;
};

/// A result that counts for a student. Numbers are of the table of results.
struct Standing {
  std::string student, step, file;
  std::int64_t result = 0;
  bool operator==(const Standing &) const = default;
};

/// A file that a preview grades again for a student, see Store::begin_preview().
struct PreviewFile {
  std::string student;
  Task task;
  Grading grading;     ///< the conditions under which it would count
  bool again = false;  ///< run it, even if there is a result under these conditions
};
struct Preview {
  std::string actor;   ///< who wanted it
  std::string course;  ///< hash of the course's files as they were
  course::WithoutGpu without_gpu = course::WithoutGpu::leave;
  std::string version;     ///< of the grader
  std::string begun = {};  ///< "2026-03-01 23:59:00", UTC; given by the store, unless an earlier one goes on
};

/// What a change of the results that count replaced, so that it can be undone.
struct Regrading {
  std::int64_t id = 0;
  std::string actor, detail, at;                       ///< who; for people; "2026-03-01 23:59:00", UTC
  std::optional<course::WithoutGpu> without_gpu = {};  ///< of the class, before; none: unchanged
  std::string order = {};  ///< of a service, that applied it; empty: a command did
  bool undone = false;
  std::string undone_by = {};  ///< the order that undid it; empty: a command did, or it is not undone
};
/// A result that a student had before a regrading, and the one since.
struct Regraded {
  std::string student;
  Task task;
  std::int64_t before = 0, after = 0;
};
struct ScoreBefore {
  ScoreRow row;
  std::string report;  ///< the file's text; empty: there was none
  std::string rest;    ///< what else the points followed from: points by hand, the hand-in, exams
};

/// An exam that a student took, see course::Viva.
struct ExamRow {
  grading::StepRecord record;
  std::string questions;  ///< JSON: with their seed, what is right, and what was chosen
  bool operator==(const ExamRow &) const = default;
};

class Store {
 public:
  enum class Access {
    create,  ///< creates folder and file if they are missing
    change,  ///< they must exist
    read,    ///< others may be writing
  };
  Store(const std::filesystem::path &folder, Access);
  ~Store();
  Store(Store &&) noexcept;

  const std::filesystem::path &folder() const { return folder_; }
  ClassLock &lock() { return *lock_; }  ///< not with Access::read

  std::optional<ClassInfo> info() const;  ///< none: a class that has not been started
  void begin(const ClassInfo &);

  /// The conditions for a step from now on; results with the same fingerprint are found again. Before a result of
  /// a variant's file is kept, there must be conditions for that variant.
  void grade_with(const Grading &);
  /// Of files without a variant, or of those of one.
  std::optional<Grading> grading_of(const std::string &step, const std::string &variant = "") const;
  std::string variant_of(const std::string &file) const;  ///< empty: the files as they are
  std::vector<std::string> variants() const;              ///< of all files that were ever handed in, sorted

  /// Stores a handin, unless it is known; a stored file that is damaged gets its bytes back. Commits by
  /// itself, several at a time: finish_taking_in() commits the last.
  void take_in(const Handin &);
  void take_in_student(const std::string &id, const std::string &name = "");  ///< of a roster
  void finish_taking_in();
  std::vector<std::string> students() const;  ///< ids, sorted
  /// Whether this student has a handin of this name.
  bool knows(const std::string &student, const std::string &source) const;
  /// Whether another student's id differs only in case.
  bool has_twin(const std::string &id) const;
  Student student(const std::string &id) const;
  std::size_t superseded() const;  ///< superseded handins

  /// None: its bytes are damaged. Throws if there never was such a file.
  std::optional<std::string> file(const std::string &hash) const;
  /// Under the present conditions. None: there is none yet, or its bytes are damaged.
  std::optional<grading::StepRecord> result(const Task &) const;
  /// The same or, while there is none, the newest one under earlier conditions on the same device: what counts for
  /// who hands in the file now.
  std::optional<grading::StepRecord> result_that_counts(const Task &) const;
  /// For one student: a result that the student keeps, or that of the file.
  std::optional<grading::StepRecord> result_that_counts(const std::string &student, const Task &) const;
  struct GradedUnder {
    Task task;
    std::string conditions;  ///< JSON, see Grading
    std::string variant;
    std::vector<std::string> students;  ///< for whom such a result counts
  };
  /// Where in the store a file or a result is, for the person who has to look at damage; empty: nowhere.
  std::string place_of_file(const std::string &hash) const;
  std::string place_of_result(const Task &) const;
  std::string place_of_result(const std::string &student, const Task &) const;
  using StepFiles = std::vector<std::pair<std::string, std::string>>;  ///< id and file name of each step
  /// Files that count and have a result that counts, with the conditions under which it was made.
  std::vector<GradedUnder> conditions_that_count(const StepFiles &) const;
  /// What is still to be graded, student by student, each once: files that count and have no result under the
  /// present conditions, or that were requested again.
  std::vector<Task> pending(const StepFiles &) const;
  /// The same, but files with a result under earlier conditions only where they were requested again.
  std::vector<Task> without_result(const StepFiles &) const;
  std::size_t tasks(const StepFiles &) const;  ///< with those that have a result
  /// Students whose submission that counts has this file under this name.
  std::vector<std::string> students_with(const std::string &name, const std::string &hash) const;

  /// One result, in one transaction with everything that `also` writes, which already sees it. Earlier
  /// results for the same file stay as history. It counts for the students for whom it was wanted again, and for
  /// `whom`; for everybody with this file if neither names anybody. The others keep what they have.
  void keep(const Task &, const grading::StepRecord &, double seconds, const std::function<void()> &also = {},
            const std::vector<std::string> &whom = {});
  void keep_score(const ScoreRow &);
  std::optional<ScoreRow> score(const std::string &student) const;
  /// Until this call, reports are marked as older than their scores.
  void reported(const std::string &student);
  std::vector<std::string> unreported() const;

  /// Marks these files to be graded again; until the new results are there, the old ones count. `whom`: for whom the
  /// new results count; empty: everybody with these files.
  void want_again(const std::vector<Task> &, const std::vector<std::string> &whom = {});
  /// For whom a file is wanted again; empty: it is not, or for everybody.
  std::vector<std::string> wanted_for(const Task &) const;
  /// Files that count and whose result that counts has this verdict, for at least one student.
  std::vector<Task> with_verdict(const StepFiles &, judge::Verdict) const;
  /// For whom it has.
  std::vector<std::string> students_with_verdict(const Task &, judge::Verdict) const;

  /// Does all of `work`, or none of it if it throws.
  void at_once(const std::function<void()> &work);

  // Results of single students (store_choices.cpp). A student has the result of the file, or keeps another one.

  /// Does `work`, in one transaction, so that no results count otherwise than before but those of `students`.
  void change_only(const std::vector<std::string> &students, const StepFiles &,
                   const std::function<void()> &work);
  /// From now on, this student has the result of the file.
  void follow(const std::string &student, const Task &);
  /// Everybody follows who keeps a result under other conditions than the present ones.
  void follow_present_conditions();
  std::vector<Standing> standings(const StepFiles &) const;              ///< of every student, by id and step
  std::optional<grading::StepRecord> record(std::int64_t result) const;  ///< none: its bytes are damaged
  std::string conditions_of(std::int64_t result) const;                  ///< JSON, see Grading
  std::string conditions_of(const std::string &student, const Task &) const;

  // What grading again would change (store_previews.cpp): results that count for nobody.

  /// In place of an earlier preview, whose results under the same conditions are kept, but for failures of the grader.
  /// `beside`: its other students stay in it. Files without a result that counts are left out.
  void begin_preview(const Preview &, const std::vector<PreviewFile> &, bool beside);
  std::optional<Preview> preview() const;
  std::vector<PreviewFile> preview_files() const;  ///< by student; without provenance and device
  /// What is still to be run, each once.
  std::vector<Task> to_preview() const;
  void keep_previewed(const Task &, const grading::StepRecord &, double seconds);
  /// None: not yet run, or damaged.
  std::optional<grading::StepRecord> previewed(const PreviewFile &) const;
  void leave_preview(const std::vector<std::string> &students);  ///< who are no longer in it
  void end_preview();
  /// Has these students have what was previewed for them, and nobody else. The regrading is noted; `before` are their
  /// scores. Gives its number.
  std::int64_t apply_preview(const std::vector<std::string> &students, const StepFiles &, const Regrading &,
                             const std::function<ScoreBefore(const std::string &)> &before);
  /// Does `work`, and notes what it changed of the results that count, so that it can be undone.
  std::int64_t note_regrading(const StepFiles &, const Regrading &,
                              const std::function<ScoreBefore(const std::string &)> &before,
                              const std::vector<std::string> &students, const std::function<void()> &work);
  std::optional<Regrading> latest_regrading() const;  ///< that is not undone
  std::optional<Regrading> regrading(std::int64_t id) const;
  std::optional<Regrading> regrading_by(const std::string &order) const;
  std::vector<std::string> students_of_regrading(std::int64_t id) const;
  std::vector<Regraded> regraded(std::int64_t regrading) const;
  /// Whether a result of this file under the present conditions was undone. It counts for nobody who hands it in since.
  bool was_undone(const Task &) const;
  std::optional<ScoreBefore> score_before(std::int64_t regrading, const std::string &student) const;
  /// Everybody has again what the latest regrading replaced, but for what was graded anew since. Gives what it changed.
  /// order: of a service, which wants that; empty: a command.
  std::vector<Regraded> undo(const Regrading &, const StepFiles &, const std::string &order = "");

  void override_points(const std::string &student, const score::Override &);
  bool withdraw_override(const std::string &student, const std::string &step);
  std::vector<score::Override> overrides(const std::string &student) const;

  /// The answers of an exam take the place of earlier ones, which stay as history.
  void keep_exam(const std::string &student, const std::string &step, const ExamRow &);
  std::optional<ExamRow> exam(const std::string &student, const std::string &step) const;

 private:
  std::int64_t remember(const Grading &);                                         ///< its number
  std::int64_t number_of_result(const std::string &student, const Task &) const;  ///< 0: none
  bool is_wanted_again(const Task &) const;
  /// Students whose submission that counts has this file under any name.
  std::vector<std::string> owners(const std::string &file) const;
  void keep_result(const std::string &student, const Task &, std::int64_t result);
  void keep_file(const std::string &hash, const HandedFile &);
  /// The step, or "STEP VARIANT" for a file of a variant.
  std::string key_of(const Task &) const;
  std::filesystem::path folder_;
  std::unique_ptr<ClassLock> lock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Transaction> taking_in_;
  int taken_in_ = 0;
};

/// Migrates a file's tables to the current version. Throws StoreError for a newer one, and for a file of
/// another program.
void migrate(Database &);
/// Throws StoreError unless the file has the current version.
void check_version(Database &);

}  // namespace warpgrade::batch
