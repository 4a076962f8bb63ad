// The trial of a problem other than a matrix product: the host draws the inputs, and looks at every element
// that a run leaves.
#pragma once

#include "gpu/measure.hpp"
#include "problem/problem.hpp"

namespace warpgrade::grading {

/// While it lives, memory that this process frees stays with it: buffers of the next run need not come from
/// the system page by page, which takes longer than filling them.
class KeepsFreedMemory {
 public:
  KeepsFreedMemory();
  ~KeepsFreedMemory();
  KeepsFreedMemory(const KeepsFreedMemory &) = delete;
  KeepsFreedMemory &operator=(const KeepsFreedMemory &) = delete;
};

/// Makes the referee ready to run the problem's library at this size. Returns "" or why there is none.
std::string take_library(gpu::Referee &, const problem::Problem &, const problem::Case &size);

/// How many runs a sample is made of.
inline constexpr int places_of_a_sample = 4;

/// The mean of that many runs.
class MeanSample {
 public:
  void add(const run::Sample &);
  run::Sample sample() const;

 private:
  run::Sample sum_;
  bool all_seen_ = true;  ///< by the host's clock
};

/// A sample is the mean of several runs, each on fresh numbers at another place. Where a small output is
/// decides which part of the L2 cache serves its atomics, and on an H200 one half of the places takes twice
/// as long as the other: single runs would be of two kinds, and their median that of whichever was drawn
/// oftener. The library runs as often, at other places too, on the numbers of the last of these runs.
class HostTrial : public gpu::Trial {
 public:
  /// All of these must live longer.
  HostTrial(gpu::Replay &replay, gpu::Referee &referee, const plan::LaunchPlan &plan,
            const problem::Problem &problem, const problem::Case &size, double tolerance)
      : replay_(replay),
        referee_(referee),
        plan_(plan),
        problem_(problem),
        size_(size),
        tolerance_(tolerance) {}

  std::string begin() override;
  gpu::Timed run() override;
  gpu::Checked check() override { return checked_; }
  gpu::LibraryTime library() override;
  run::Energy energy(double seconds) override;
  run::Energy library_energy(double seconds) override;

 private:
  gpu::Timed run_once();
  void check(const std::vector<run::HostBuffer> &outputs);
  bool copies() const { return problem_.library() == problem::Library::copy; }
  std::vector<run::HostBuffer> operands() const;
  std::string wrong(const std::vector<run::HostBuffer> &left) const;

  KeepsFreedMemory keeps_;
  gpu::Replay &replay_;
  gpu::Referee &referee_;
  const plan::LaunchPlan &plan_;
  const problem::Problem &problem_;
  const problem::Case &size_;
  double tolerance_;
  std::vector<run::HostBuffer> inputs_;  ///< of the last run
  gpu::Checked checked_;                 ///< likewise
  std::string why_no_library_;
  bool library_ran_ = false;
};

}  // namespace warpgrade::grading
