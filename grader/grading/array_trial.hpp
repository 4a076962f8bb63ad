// The trial of a problem with a problem.cu: the GPU draws the inputs and looks at every element that a run
// leaves. Where it cannot, the host does both.
#pragma once

#include "grading/host_trial.hpp"

namespace warpgrade::grading {

/// Samples are means over several places, as those of HostTrial are, and for the same reason.
class ArrayTrial : public gpu::Trial {
 public:
  /// All of these must live longer.
  ArrayTrial(gpu::Replay &replay, gpu::Referee &referee, const plan::LaunchPlan &plan,
             const problem::Problem &problem, const problem::Case &size, double tolerance)
      : replay_(replay),
        referee_(referee),
        plan_(plan),
        problem_(problem),
        size_(size),
        tolerance_(tolerance),
        host_(replay, referee, plan, problem, size, tolerance) {}

  std::string begin() override;
  gpu::Timed run() override;
  gpu::Checked check() override { return on_host_ ? host_.check() : checked_; }
  gpu::LibraryTime library() override;
  run::Energy energy(double seconds) override;
  run::Energy library_energy(double seconds) override;

 private:
  gpu::Replay &replay_;
  gpu::Referee &referee_;
  const plan::LaunchPlan &plan_;
  const problem::Problem &problem_;
  const problem::Case &size_;
  double tolerance_;
  HostTrial host_;
  bool on_host_ = false;
  gpu::Checked checked_;  ///< of the last run
  std::string why_no_library_;
};

}  // namespace warpgrade::grading
