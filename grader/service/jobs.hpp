// The queue: what was submitted, what is graded next, what came of it. Every change is one transaction, so
// whatever ends a process, a part is queued, running or done, and was accepted once. Times are seconds since
// 1970 and given by the caller. Everything throws batch::StoreError.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/service_store.hpp"

namespace warpgrade::service {

enum class State : std::uint8_t { queued = 0, running = 1, done = 2 };

/// One step of a submission.
struct Part {
  std::int64_t id = 0, submission = 0;
  std::string step, file;  ///< the file's hash
  State state = State::queued;
  std::string phase;   ///< while it runs: "building", for people; while it is held: why, for the staff
  std::string record;  ///< JSON of a grading::StepRecord once it is done
  double points = 0;   ///< once it is done
  /// It is queued, but its turn does not come.
  bool held() const { return state == State::queued && !phase.empty(); }
};

struct Submission {
  std::int64_t id = 0;
  std::string student, assignment;
  std::int64_t received = 0;
  std::vector<Part> parts;
  std::string variant =
      {};  ///< by which its files are graded; empty: the files as they are. See Jobs::submission
  bool done() const;
};

/// A step with the bytes that are graded: the step's file, its headers included (batch/bundle.hpp).
using StepText = std::pair<std::string, std::string>;

/// What one person may have in the queue, and use.
struct Quota {
  int hour = 0, day = 0;  ///< runs of steps that cost one; 0: no limit
  int queued = 20;        ///< parts of one student in the queue
  int queue = 5000;       ///< parts of everybody
};

/// Why nothing more is accepted now.
struct Refusal {
  std::string code;              ///< "quota_hour", "quota_day", "too_many_queued", "queue_full"
  std::string message;           ///< a sentence for people
  std::int64_t retry_after = 0;  ///< seconds
};

struct Receipt {
  std::int64_t submission = 0;
  bool known = false;  ///< it is the same as the student's latest, which this names
  std::optional<Refusal> refusal;
};

/// A part's place in the order in which the queue will be graded if nobody submits anything.
struct Place {
  std::int64_t part = 0, submission = 0;
  std::string student, assignment, step;
  int ahead = 0;            ///< parts before it, running ones not counted
  double wait_seconds = 0;  ///< expected until it starts
};

/// Parts that are held for the same reason.
struct Held {
  std::string assignment, why;  ///< why: for the staff
  int parts = 0, students = 0;
};

/// Work for a process that grades.
struct Work {
  std::int64_t part = 0, submission = 0;
  std::string student, step, file;
};

/// The result of a file for a step.
struct StepResult {
  std::string record;  ///< JSON of a grading::StepRecord
  double points = 0, seconds = 0;
};

/// Of a process whose parts a cluster grades, which itself decides how many at a time.
inline constexpr int slots_of_a_cluster = 1'000'000;

/// What the process that grades an assignment says about itself.
struct GraderState {
  std::string assignment;
  bool ready = false;
  std::string detail, device, fingerprint;
  int slots = 1;
  std::int64_t seen = 0;
};

class Jobs {
 public:
  explicit Jobs(ServiceStore &store) : store_(store) {}

  /// On the disk when this returns, unless refused. Parts that are already graded under the present
  /// conditions are done immediately.
  Receipt submit(const std::string &student, const std::string &assignment, const std::vector<StepText> &,
                 const Quota &, std::int64_t now);
  std::optional<Submission> submission(std::int64_t id);
  /// The latest first, without records and variants; before: only those with a smaller id, unless it is 0.
  std::vector<Submission> submissions_of(const std::string &student, const std::string &assignment, int most,
                                         std::int64_t before = 0);
  /// For each step of the assignment, every part of this student, the latest first; without records.
  std::vector<std::pair<Part, std::int64_t>> parts_of(const std::string &student,
                                                      const std::string &assignment);
  std::string content(const std::string &hash);
  /// By the mark of a file; empty: the files as they are.
  std::string variant_of(const std::string &hash);
  /// Of the assignments that are served; what is left of others waits for a service that serves them.
  std::vector<Place> queue(const std::function<bool(const std::string &assignment)> &served =
                               [](const std::string &) { return true; });
  /// Parts that are queued, or running.
  int count(State);
  /// Parts on which the grader itself failed every time, the latest first; without records.
  std::vector<Part> failures(int most);
  /// Parts that were run, the latest first, with records.
  std::vector<Part> latest_runs(const std::string &assignment, int most);

  // For the process that grades an assignment; there is one for each.

  void announce(const GraderState &);
  std::vector<GraderState> graders();
  /// Why nothing of an assignment is graded now, in a sentence for its students; empty: it is.
  std::string why_waiting(const std::string &assignment);
  /// The same of one submission, which waits too while a part of it is held.
  std::string why_waiting(const Submission &);
  std::vector<Held> held();
  /// Submissions that the store of the class does not know yet, the earliest first.
  std::vector<std::int64_t> untaken(const std::string &assignment);
  void taken(std::int64_t submission);
  /// Submissions that it knew and lacks now count as new: its file was restored from a backup, or is gone.
  void take_in_again(const std::string &assignment,
                     const std::function<bool(std::int64_t submission, const std::string &student)> &known);
  /// Of these bytes, whoever submitted them, under these conditions.
  std::optional<StepResult> result_of(const std::string &assignment, const std::string &step,
                                      const std::string &file, const std::string &fingerprint);
  /// What to grade next if it is of this assignment, which then is running. Students take turns: one with
  /// fewer parts running goes first, then the one whose turn was longest ago. At most `slots` parts of all
  /// assignments run.
  std::optional<Work> claim(const std::string &assignment, int slots, std::int64_t now);
  /// All queued parts with this file for this step, whoever submitted them, which then are running.
  std::vector<Work> claim_file(const std::string &assignment, const std::string &step,
                               const std::string &file);
  void phase(std::int64_t part, const std::string &);
  /// The result, unless the part has one already.
  void finish(std::int64_t part, const std::string &record, double points, double seconds,
              const std::string &fingerprint);
  /// New points for what is done, computed from the record of each part; none: those that it has.
  void score_again(const std::string &assignment,
                   const std::function<std::optional<double>(const std::string &record,
                                                             const std::string &file)> &points_of);
  /// Everything of this assignment that was running when its process ended, or is held, is queued again.
  void put_back(const std::string &assignment);
  /// This part, which is running, is queued again.
  void release(std::int64_t part);
  /// This part, which is running, waits until put_back(), and holds nobody else up. why  for the staff
  void hold(std::int64_t part, const std::string &why);
  /// Every part with this file for this step is queued again. student: of this one alone; empty: of everybody.
  void queue_again(const std::string &assignment, const std::string &step, const std::string &file,
                   const std::string &student = "");
  /// Every part of a student with this file that is done has this result. Whether one had another.
  bool replace_result(const std::string &assignment, const std::string &student, const std::string &step,
                      const std::string &file, const std::string &record, double points,
                      const std::string &fingerprint);

 private:
  std::optional<Refusal> refuse(const std::string &student, const std::string &assignment, int parts,
                                const Quota &, std::int64_t now);
  std::vector<Part> parts_of(std::int64_t submission, bool with_records);
  ServiceStore &store_;
};

}  // namespace warpgrade::service
