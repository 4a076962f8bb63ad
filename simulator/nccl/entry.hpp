// What the functions of nccl.h share: how a call comes in, how a mistake is reported, and how a communicator is found.
#pragma once

#include <nccl.h>

#include <mutex>
#include <new>
#include <string>

#include "nccl/communicator.hpp"
#include "nccl/group.hpp"
#include "nccl/services.hpp"

namespace warpgrade::nccl {

using Lock = std::unique_lock<std::mutex>;

/// Every call comes in here. In a group, the first error is what ncclGroupEnd gives.
template <class Body>
ncclResult_t enter(const char *call, const Body &body) {
  try {
    Group &group = group_of_thread();
    if (services().in_host_function())
      return report(call, "host_function",
                    "is called in a function that a stream runs (cudaLaunchHostFunc), which must not call "
                    "NCCL: returned "
                    "ncclInvalidUsage");
    Lock lock(state().mutex);
    const ncclResult_t result = body(lock);
    if (group.depth > 0 && group.error == ncclSuccess) group.error = result;
    return result;
  } catch (const std::bad_alloc &) {
    return ncclSystemError;
  }
}

ncclResult_t wrong(const char *call, const std::string &message, ncclResult_t result = ncclInvalidArgument);

/// Null, with the reason reported, unless the communicator may be used.
Communicator *find(const char *call, ncclComm_t, bool finalized_too = false);

}  // namespace warpgrade::nccl

// Profilers take the place of the functions and call these.
#define WARPGRADE_PROFILED(name) extern decltype(name) p##name __attribute__((alias(#name)))
