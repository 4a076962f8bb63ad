// Signals that end a program: says why a host that follows a device pointer dies, and saves what was found.
#pragma once

#include <atomic>

namespace warpgrade::cuda {

/// Only where the program has no handler of its own. The program then dies as it would have without.
void catch_fatal_signals();
/// While one of these exists, a signal that asks the program to end only sets interruption(): the launch then
/// ends, is reported, and end_interrupted() ends the program. A signal that comes three
/// seconds later ends the program at once.
class LaunchInProgress {
 public:
  LaunchInProgress();
  ~LaunchInProgress();
  LaunchInProgress(const LaunchInProgress &) = delete;
  LaunchInProgress &operator=(const LaunchInProgress &) = delete;
};
/// The signal that came during a launch; 0: none.
const std::atomic<int> &interruption();
/// Saves what was found and dies of interruption(). Does nothing if there was none.
void end_interrupted();
/// Whether a fault still comes to us: the program may have set a handler of its own since.
bool handles_faults();

}  // namespace warpgrade::cuda
