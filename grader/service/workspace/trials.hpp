// What students try in the workspace: a queue of its own, whose runs use the simulator and the open cases, cost no
// quota and earn no points. Every change is one transaction. Times are seconds since 1970. Everything throws
// batch::StoreError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/service_store.hpp"

namespace warpgrade::service {

enum class TrialKind : std::uint8_t {
  grade = 0,   ///< gives a record
  debug = 1,   ///< gives a page in which a failing case is gone through
  layout = 2,  ///< gives the text of a file as clang-format lays it out, in place of a page
};

enum class TrialState : std::uint8_t { queued = 0, running = 1, done = 2 };

struct Trial {
  std::int64_t id = 0, draft = 0;
  std::string person, assignment, step;
  TrialKind kind = TrialKind::grade;
  TrialState state = TrialState::queued;
  std::int64_t asked = 0;
  std::string phase;   ///< while it runs: "building", for people
  std::string record;  ///< of one that is done: JSON of a grading::StepRecord
  std::string page;    ///< likewise: HTML. Of earlier trials of a step it is forgotten
  std::string
      why;  ///< likewise: why there is no page, or no record; or why the run stopped early, in sentences
  double seconds = 0;
  std::string file;  ///< the hash of what is run
};

/// Somebody's trials of a step.
struct TrialsOf {
  std::string person, assignment, step;
  TrialKind kind = TrialKind::grade;
};

/// A version of a step that somebody wants to try.
struct Wish {
  TrialsOf of;
  std::int64_t draft = 0;
  std::string bytes;  ///< what is graded: the step's file, its headers included (batch/bundle.hpp)
};

struct Asked {
  std::int64_t trial = 0;
  std::int64_t retry_after = 0;  ///< above 0: refused, since the person's time for this hour is used up
};

/// What the process that runs the trials of an assignment says about itself.
struct TrialRunner {
  bool ready = false;
  std::string detail;       ///< why not, for people
  std::string device;       ///< JSON of a grading::DeviceRecord
  std::string fingerprint;  ///< of the conditions
  std::int64_t seen = 0;
};

class Trials {
 public:
  explicit Trials(ServiceStore &store) : store_(store) {}

  /// A trial of the same bytes under the same conditions, whoever asked for it, is not run again. What the person
  /// has queued of this step is dropped for it: only the latest version matters.
  /// seconds_an_hour   of processors, for a person; 0: no limit
  Asked ask(const Wish &, double seconds_an_hour, std::int64_t now);
  std::optional<Trial> find(std::int64_t id);
  std::optional<Trial> latest(const TrialsOf &);
  /// How many are run before this one.
  int ahead_of(const Trial &);
  /// The verdicts of a person's versions: the latest trial of each, without page. By version.
  std::optional<Trial> of_version(std::int64_t draft);

  /// Whether anybody but this person waits for a run of this assignment, or for grading it.
  bool others_wait(const std::string &person, const std::string &assignment);

  // For the process that runs the trials of an assignment; there is one for each.

  void announce(const std::string &assignment, const TrialRunner &);
  std::optional<TrialRunner> runner(const std::string &assignment);
  /// The next one, which then is running. One of each person runs at a time, and beside it one text is formatted; texts
  /// come first, since they take a moment, and then who used the least time in the last minutes.
  std::optional<Trial> claim(const std::string &assignment, std::int64_t now);
  std::string bytes_of(const Trial &);
  void phase(std::int64_t trial, const std::string &);
  void finish(const Trial &result, const std::string &fingerprint);
  /// What was running when its process ended is queued again.
  void put_back(const std::string &assignment);

 private:
  // Within a transaction.
  std::optional<Trial> same_before(const Wish &, const std::string &hash);
  std::int64_t under_way(const Wish &, const std::string &hash);  ///< 0: there is none
  /// 0: there is time left
  std::int64_t time_used_until(const std::string &person, double seconds_an_hour, std::int64_t now);
  void drop_queued(const TrialsOf &, std::int64_t but);
  void forget(const TrialsOf &, std::int64_t latest, std::int64_t now);
  ServiceStore &store_;
};

}  // namespace warpgrade::service
