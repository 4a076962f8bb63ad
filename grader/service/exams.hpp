// Exams that students sit on a page of the service: who began when, what they chose, when it ended. All of it is on the
// disk before a page says so, and the clock is that of the service. Times are seconds since 1970. Everything throws
// batch::StoreError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/service_store.hpp"
#include "viva/exam.hpp"

namespace warpgrade::service {

struct Sitting {
  std::int64_t id = 0;
  std::string student, assignment, step;
  viva::Exam exam;  ///< with the student's questions alone, as they were when it began
  std::int64_t started = 0, ends = 0;
  std::optional<std::int64_t> ended;  ///< by the student, before its time was over
  viva::Chosen chosen;
  bool over(std::int64_t now) const { return ended || now > ends; }
  const viva::Sheet &sheet() const { return exam.sheets.front(); }
};

class Exams {
 public:
  explicit Exams(ServiceStore &store) : store_(store) {}

  /// The one that counts; none: it has not begun, or was reopened.
  std::optional<Sitting> sitting(const std::string &student, const std::string &assignment,
                                 const std::string &step);
  std::vector<Sitting> sittings(const std::string &assignment, const std::string &step);  ///< by student
  /// Starts the clock. False: it runs already, or has run.
  bool begin(const std::string &student, const viva::Exam &, const viva::Sheet &, std::int64_t seconds,
             std::int64_t now);
  /// In place of what was chosen before. False: it is over, or there is none, and nothing was changed.
  bool choose(const Sitting &, const viva::Chosen &, bool end, std::int64_t now);
  /// A sitting no longer counts, and the student may begin again. False: there is none.
  bool reopen(const std::string &student, const std::string &assignment, const std::string &step,
              const std::string &reason, std::string_view actor, std::int64_t now);

  // For the process that grades an assignment.

  /// Those that are over and of which the class does not know the answers yet.
  std::vector<Sitting> to_count(const std::string &assignment, std::int64_t now);
  void counted(std::int64_t id);

 private:
  ServiceStore &store_;
};

}  // namespace warpgrade::service
