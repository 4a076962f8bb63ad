// Disputes: what a student says against a line or a finding of a report, and what the staff decide; and notes, sentences that
// the staff attach to a finding of everybody who has it. A dispute stays with its submission and keeps what the report said
// then; a note is for a cause, so results of later submissions have it too. Everything is on the disk before a page says so, and
// what the staff decide, attach and take back is in the audit log too. Times are seconds since 1970. Everything throws
// batch::StoreError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/orders.hpp"
#include "service/service_store.hpp"

namespace warpgrade::service {

inline constexpr std::size_t longest_comment = 2000;  ///< characters of a comment, an answer or a note
inline constexpr int most_open_disputes = 20;         ///< of a student in an assignment
inline constexpr int most_comments = 20;              ///< of a student in a dispute

/// What is wrong, whoever has it: as class.html groups the errors of a class (report/class.hpp).
struct Cause {
  std::string step, rule;  ///< rule: the code of a finding, or a verdict
  std::string gist;        ///< without numbers and the names that a student chose; empty: not recognised
  bool operator==(const Cause &) const = default;
};

/// What a dispute is about, as the report said it when the dispute was opened.
struct Disputed {
  std::string assignment;
  std::int64_t submission = 0;
  Cause cause;         ///< without a rule: a line, or the whole step
  std::string said;    ///< of a finding: its sentence
  std::string file;    ///< empty: the whole step
  int line = 0;        ///< 0: no line
  std::string quoted;  ///< the text of that line, without indentation; empty: unknown
  std::string
      seen_in;        ///< the case that shows the finding, hidden ones too: for the staff alone; empty: none
  std::string again;  ///< the command that repeats it, likewise
};

enum class DisputeKind : std::uint8_t { comment = 0, answer = 1, points = 2, our_fault = 3, reopened = 4 };

struct DisputeMessage {
  std::int64_t id = 0, at = 0;
  std::string author;
  DisputeKind kind = DisputeKind::comment;  ///< only comments are the student's
  std::string text;
};

struct Dispute {
  std::int64_t id = 0;
  std::string student;
  Disputed about;
  bool open = true;
  bool our_fault = false, points_given = false;  ///< what was decided, until the staff open it again
  std::int64_t opened = 0, changed = 0;
  std::int64_t seen = 0;  ///< the last message that the student has read
};

/// What a member of the staff decides.
struct Decision {
  std::int64_t dispute = 0;
  DisputeKind kind = DisputeKind::answer;
  std::string text;
  std::int64_t last = 0;            ///< the last message that they have read
  std::optional<Order> order = {};  ///< of points, given in the same change
};

/// A sentence for everybody who has a finding.
struct FindingNote {
  std::int64_t id = 0;
  std::string assignment;
  Cause cause;          ///< without a step: in all steps
  std::string example;  ///< the finding in words
  std::string text, author;
  std::int64_t at = 0;
};

class Disputes {
 public:
  explicit Disputes(ServiceStore &store) : store_(store) {}

  /// The new dispute's id. Nothing: the student has too many open ones in the assignment.
  std::optional<std::int64_t> open(const std::string &student, const Disputed &, const std::string &text,
                                   std::int64_t now);
  /// The student says more, which opens it again. False: too much was said already, or too many are open.
  bool comment(const Dispute &, const std::string &text, std::int64_t now);
  /// False, with nothing changed: there is a message that they have not read.
  bool decide(const Decision &, std::string_view actor, std::int64_t now);
  /// In one change: the first decision, and those of the others that are still open and have no message that is not read. How
  /// many of these were left out. Nothing, with nothing changed: there is such a message in the first.
  std::optional<std::size_t> decide_all(const std::vector<Decision> &, std::string_view actor,
                                        std::int64_t now);

  std::optional<Dispute> find(std::int64_t id);
  std::vector<DisputeMessage> messages(std::int64_t dispute);
  /// Open ones, the oldest first; then the others, the latest change first. most: of each
  std::vector<Dispute> all(int most);
  std::vector<Dispute> of_student(const std::string &student);  ///< the latest first
  std::vector<Dispute> of_submission(std::int64_t submission);  ///< the earliest first
  /// About the same cause, or the same text of a line of the step where no other cause is known; not this one; the latest
  /// first. A line without a letter or a digit is like no other.
  std::vector<Dispute> similar(const Dispute &);
  int count_open();
  int count_our_fault();  ///< those that showed that the grader was wrong

  /// Disputes of a student with a decision that they have not read and that still holds; the latest first.
  std::vector<Dispute> unread(const std::string &student);
  void read(const Dispute &);

  /// The new note's id. actor: who writes it
  std::int64_t attach(const FindingNote &, std::string_view actor, std::int64_t now);
  /// False: there is none, or it was taken back before.
  bool take_back(std::int64_t note, std::string_view actor, std::int64_t now);
  std::vector<FindingNote> notes(
      const std::string &assignment = "");  ///< attached now, the latest first; empty: of all

 private:
  std::vector<Dispute> found(batch::Statement);
  bool decide_within(const Decision &, std::string_view actor, std::int64_t now);
  void say(std::int64_t dispute, std::string_view author, DisputeKind, std::string_view text,
           std::int64_t now);
  ServiceStore &store_;
};

/// Both are errors with the same recognised cause.
bool same_cause(const Dispute &, const Dispute &);
/// A message that no longer holds, since the dispute was opened again after it. Comments always hold.
bool taken_back(const std::vector<DisputeMessage> &, const DisputeMessage &);
/// "open", "answered", "points given", "fault of the grader, points given".
std::string state_in_words(const Dispute &);
/// "step3, race in step3.cu:24", "line 24 of step3", "step3".
std::string about_in_words(const Disputed &);

}  // namespace warpgrade::service
