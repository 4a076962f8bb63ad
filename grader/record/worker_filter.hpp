// The system calls of a worker process.
#pragma once

namespace warpgrade::record {

/// Restricts the calling process, and what it executes, for good: memory, its open descriptors, clocks,
/// waiting, its own signals and its end. Everything else fails with EPERM: no files, no processes or threads,
/// no sockets, no signals to others. One program may still be executed, through `executable`, a close-on-exec
/// descriptor. returns false when the kernel refuses
bool restrict_to_worker(int executable);

}  // namespace warpgrade::record
