// What the launcher's own calls add to what a run found: where it allocated, how many threads it asked for.
// Internal to grading/.
#pragma once

#include <optional>
#include <string>

#include "course/assignment.hpp"
#include "grading/guards.hpp"
#include "judge/verdict.hpp"
#include "record/recorder.hpp"
#include "run/run.hpp"

namespace warpgrade::grading {

/// Line of the student's file with the call that made an operation of the plan; 0: not known.
int line_of_operation(const record::Recorder &, const record::Recording &, std::size_t operation);

class Wording {
 public:
  /// All must outlive this.
  Wording(const course::Step &step, const problem::Case &recorded, const record::Recorder &recorder,
          const record::Recording &recording, Guards &guards)
      : step_(step), case_(recorded), recorder_(recorder), recording_(recording), guards_(guards) {}

  /// Of a recording without a plan: its message, and which cudaMalloc made the buffer that it is about.
  std::string reason() const;
  /// Completes the diagnostics of a run: an access outside what the launcher allocated names the cudaMalloc;
  /// a launch that does not end and has far more threads than results says so; a launch that no device would
  /// start has the launcher's line and says what its geometry is. Any other access outside a buffer names the
  /// conditions that let its thread through.
  void complete(run::Run &) const;
  /// With "dT", or "the buffer of line 12", for "scratch 1".
  std::string in_students_words(std::string) const;
  /// The verdict on a plan with a launch that no GPU starts, without a run.
  std::optional<judge::RunVerdict> launch_error() const;

 private:
  void locate_unordered(run::Run &) const;
  const plan::Launch *refused_launch() const;
  const record::Allocation *allocation_in(const std::string &message) const;
  std::string note_on(const record::Allocation &) const;
  std::string called(const record::Allocation &) const;

  const course::Step &step_;
  const problem::Case &case_;
  const record::Recorder &recorder_;
  const record::Recording &recording_;
  Guards &guards_;
};

}  // namespace warpgrade::grading
