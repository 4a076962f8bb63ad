// Reports of a submission to the service: the same words as on the student's own machine.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/faults.hpp"
#include "report/report.hpp"
#include "service/api.hpp"

namespace warpgrade::service {

/// A submission whose parts are all done, scored by its own variant; keeps what a report::Report refers to.
class Rendered {
 public:
  /// device: JSON of a grading::DeviceRecord. Throws std::runtime_error when a record cannot be read.
  /// by_hand: points that replace what was graded.
  Rendered(const ServedCourse &, const Submission &, const std::string &device, bool reveal_hidden,
           const std::vector<score::Override> &by_hand);
  Rendered(const Rendered &) = delete;
  Rendered &operator=(const Rendered &) = delete;

  /// 0, 1 or 3, as ./grade would end with it.
  int exit_status() const;
  const score::Score &score() const { return score_; }
  const grading::SubmissionRecord &record() const { return record_; }
  /// Where something is wrong, as its reader may know it.
  std::vector<report::Fault> faults() const;
  grading::SubmissionRecord as_students_know_it() const { return report::without_secrets(record_); }
  /// Of a step, hidden cases too, whoever reads the report.
  report::TellingCase telling_case(const std::string &step) const;
  /// Sentences for the reader, which every format has.
  void remark(const std::vector<std::string> &sentences);
  /// format  "text", "json", "junit" or "html"
  /// sources, pseudonym, disputes  for "html": by step; the student's on the leaderboard; see report::Extras
  std::string as(const std::string &format, const report::Style &,
                 const std::map<std::string, std::string> &sources, const std::string &pseudonym = "",
                 const std::string &disputes = "") const;

 private:
  const course::Assignment &assignment() const { return own_ ? own_->assignment : course_.assignment; }
  const ServedCourse &course_;
  std::shared_ptr<const OwnCourse>
      own_;  ///< of the variant by which it was graded; null: the files as they are
  grading::SubmissionRecord record_;
  course::Thresholds thresholds_;
  score::Score score_;
  bool reveal_hidden_;
};

/// The text of each step's file, for Rendered::as("html").
std::map<std::string, std::string> sources_of(const ServedCourse &, const Submission &, Jobs &);
/// Points that the staff gave a student by hand; `service`: its folder.
std::vector<score::Override> points_by_hand(const std::filesystem::path &service,
                                            const std::string &assignment, const std::string &student);
/// JSON of the device that grades an assignment; empty: not known yet.
std::string device_of(Jobs &, const std::string &assignment);
/// Whether this person sees sizes and values of hidden cases now.
bool reveals_hidden(const ServedCourse &, const Person &, std::int64_t now);

}  // namespace warpgrade::service
