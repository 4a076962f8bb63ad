// The class behind a service: which of a student's submissions count, in the store that every other command
// of gradebook reads.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "batch/store.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/preview.hpp"
#include "gradebook/variant_rules.hpp"
#include "service/exams.hpp"
#include "service/jobs.hpp"
#include "service/orders.hpp"
#include "service/policy.hpp"

namespace warpgrade::service {

class ClassBook {
 public:
  /// fingerprint: of the conditions under which the grader grades.
  ClassBook(batch::Store &store, Jobs &jobs, const gradebook::ClassGrader &grader, const Policy &policy,
            std::string fingerprint)
      : store_(store),
        jobs_(jobs),
        grader_(grader),
        policy_(policy),
        fingerprint_(std::move(fingerprint)),
        course_as_read_(gradebook::hash_of_course(grader.course.folder)),
        thresholds_(grader.thresholds),
        rules_(gradebook::rules_of(grader.course, grader.thresholds)),
        variants_(std::in_place, grader.course),
        conditions_(grader.course) {}

  /// Has the store know every submission that it does not know yet.
  void take_in_new();
  /// The same for submissions that it lost, because it was restored from a backup or created again.
  void take_in_lost();
  /// Whether the queue has a result under the present conditions, which the store then has too.
  bool keep_known(const batch::Task &);
  /// Decides again which files of a student count, and updates points and report.
  void recount(const std::string &student);
  /// Computes all points again with these thresholds, as 'gradebook rescore' does.
  void rescore(course::Thresholds);
  /// Points by hand, as a member of the staff decided. Idempotent.
  void carry_out(const Order &);
  /// Grading again beside what counts: these students, in a preview that may have others. begun: of a preview that
  /// goes on. Idempotent.
  void begin_preview(const std::vector<std::string> &students, const std::string &actor, bool again,
                     const std::string &begun = "");
  /// The preview under the conditions of now, if there is one.
  void renew_preview();
  /// Carries out what the staff decided: to apply or discard a preview, or to undo. Gives what came of it, for the
  /// audit log. An order that was carried out before a process ended is only completed; one about something that is no
  /// longer the latest changes nothing.
  AuditEntry decide(const Order &);
  /// Each gives what was done, for the audit log. Throws UsageError where nothing was. order: which wants that.
  std::string apply_preview(const std::vector<std::string> &students, const std::string &actor,
                            const std::string &order = "");
  std::string undo_regrading(const std::string &order = "");
  /// Computes everybody's points by the course's files as they are now, and writes reports. Gives how many scores that
  /// changed, until it is told to stop.
  std::size_t compute_points(const std::function<bool()> &stop);
  /// Has the queue what the class has, where a process ended in between, or a command changed the class.
  void agree();
  /// Files are graded under the conditions of this process from now on. Nobody's result changes because of that.
  void use_present_conditions();
  /// Why the files of the course cannot be used as they are now; empty: they can, or are those that it grades with.
  std::string why_not_the_files_of_now() const;
  /// Whether the files of the course are other ones than those that it grades with.
  bool course_changed() const;
  /// The answers of an exam that is over. Idempotent. False while the class does not know the student or the exam.
  bool keep_exam(const Sitting &);
  /// The files of a student that count.
  std::vector<batch::Task> tasks_of(const std::string &student) const;
  /// Points of a step from its record, by the rules for the file: those of a variant, if it is marked as one.
  /// Throws variants::UnreadableVariant.
  double points_of(const grading::StepRecord &, const std::string &file);
  /// Why a variant, or that of a file, cannot be read: then its files wait, and its students keep their points. Empty:
  /// it can, or there is none.
  const std::string &why_held(const std::string &variant);
  std::string why_file_is_held(const std::string &file);
  bool is_held(const std::string &student);  ///< a file that counts
  /// Whether a variant that is held can be read by now.
  bool mended() const;
  /// A worker ended instead of answering about a file of a variant. True: the files of the course have changed, and
  /// this process should end. The variant is held if it cannot be read any more.
  bool variant_changed(const batch::Task &, const std::string &conditions);
  bool changed = false;  ///< since grades.csv was written
  /// A variant was read from other files than those with which this process began: it should end.
  bool outdated = false;

 private:
  /// False where the variant of a part is held.
  bool take_in(const std::string &student, const std::string &source, std::int64_t time,
               const std::vector<Part> &, bool counts);
  /// Has the queue what the class has of these students, and computes their points.
  void agree(const std::vector<std::string> &students);
  /// Whether the queue had something else of this student.
  bool replace_results(const std::string &student);
  batch::Store &store_;
  Jobs &jobs_;
  const gradebook::ClassGrader &grader_;
  const Policy &policy_;
  std::string fingerprint_;
  std::string course_as_read_;  ///< gradebook::hash_of_course()
  course::Thresholds thresholds_;
  batch::RulesOf rules_;
  std::optional<gradebook::VariantCourses> variants_;
  gradebook::ConditionsOfVariants conditions_;
  /// Variants that were read, whose conditions the store knows; or why they cannot be. By name.
  std::map<std::string, std::string> held_;
};

}  // namespace warpgrade::service
