// What came of everything that was run: of each run in the workspace and each graded step of a submission, one small row. The
// records themselves are large, are compressed, and those of runs are forgotten; these rows stay. Times are seconds since 1970.
// Everything throws batch::StoreError.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "service/service_store.hpp"

namespace warpgrade::service {

struct Outcome {
  enum class Of : std::uint8_t { run = 0, submission = 1 };
  Of of = Of::run;
  std::int64_t source = 0;  ///< the run, or the submission
  std::string student, assignment, step;
  std::string file;       ///< hash of the bytes
  std::int64_t at = 0;    ///< when it was asked for
  std::string verdict;    ///< in words: "accepted", "race"
  bool accepted = false;  ///< so a failure of the grader is neither accepted nor anybody's mistake
  std::string rule,
      gist;  ///< the first thing that is wrong: its code, and its cause as a class is grouped; empty: nothing is
  std::string said;  ///< the same as the report says it; empty: only the verdict is known
  double points = 0;
  /// Where the cause is unknown, by the verdict.
  bool same_cause(const Outcome &o) const { return !rule.empty() && rule == o.rule && gist == o.gist; }
};

class Outcomes {
 public:
  explicit Outcomes(ServiceStore &store) : store_(store) {}

  /// Reads what has ended, or was graded again, since the last time; a part at a time, so that nobody waits long. Gives
  /// whether that was all. writing: is locked for each part, as by everybody else who writes here
  bool catch_up(std::mutex &writing, int most_parts = 20);
  /// Who has saved, run or submitted anything of it.
  std::set<std::string> begun(const std::string &assignment);
  /// The earliest first.
  std::vector<Outcome> of_assignment(const std::string &assignment);
  /// The latest first.
  std::vector<Outcome> of_student(const std::string &student, int most);

 private:
  bool catch_up_a_part(std::mutex &writing);
  std::vector<Outcome> found(batch::Statement);
  ServiceStore &store_;
};

}  // namespace warpgrade::service
