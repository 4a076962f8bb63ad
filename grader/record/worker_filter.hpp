// The system calls of a worker process.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace warpgrade::record {

/// What a worker may ask of the kernel: memory, its open descriptors, clocks, waiting, its own signals and
/// its end. Everything else fails with EPERM: no files, no processes or threads, no sockets, no signals to
/// others. One program may still be executed, through `executable`, a close-on-exec descriptor.
class WorkerFilter {
 public:
  /// Made once and used for every worker, since to make it takes longer than to fork one.
  explicit WorkerFilter(int executable);

  /// Restricts the calling process, and what it executes, for good. returns false when the filter could not
  /// be made or the kernel refuses it
  bool restrict_this_process() const;

 private:
  std::vector<sock_filter> code_;  ///< with a number in the place of the process's own
};

}  // namespace warpgrade::record
