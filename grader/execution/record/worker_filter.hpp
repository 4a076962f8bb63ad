// The system calls of a worker process.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace warpgrade::record {

/// The system calls that a worker may make: memory, its open descriptors, clocks, waiting, its own signals
/// and its end. Everything else fails with EPERM: no files, no processes or threads, no sockets, no signals to
/// others. One program may still be executed, through `executable`, a close-on-exec descriptor.
class WorkerFilter {
 public:
  /// Built once and used for every worker, since building it takes longer than forking a worker.
  explicit WorkerFilter(int executable);
  WorkerFilter(const WorkerFilter &) = delete;

  /// Restricts the calling process, and what it executes, permanently. Makes system calls alone, for a process that
  /// shares the memory of its parent. returns false when the filter could not be built or the kernel refuses it
  bool restrict_this_process();

 private:
  std::vector<sock_filter> code_;
  std::vector<sock_filter *> own_number_;  ///< the instructions that compare with the process's own number
};

}  // namespace warpgrade::record
