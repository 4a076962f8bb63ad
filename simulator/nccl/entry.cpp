#include "nccl/entry.hpp"

#include <fmt/format.h>

namespace warpgrade::nccl {

ncclResult_t wrong(const char *call, const std::string &message, ncclResult_t result) {
  const char *const name = result == ncclInvalidArgument ? "ncclInvalidArgument" : "ncclInvalidUsage";
  return report(call, "nccl_usage", message + "; returned " + name, "", result);
}

Communicator *find(const char *call, ncclComm_t handle, bool finalized_too) {
  const auto found = state().communicators.find(handle);
  if (found == state().communicators.end()) {
    wrong(call, handle == nullptr ? "the communicator is NULL" : "there is no such communicator");
    return nullptr;
  }
  Communicator *const c = found->second.get();
  using enum Communicator::State;
  if (c->state == live || (c->state == finalized && finalized_too)) return c;
  wrong(call, fmt::format("uses the communicator of {} after {}", c->member().words(),
                          c->state == destroyed ? "ncclCommDestroy"
                          : c->state == aborted ? "ncclCommAbort"
                                                : "ncclCommFinalize"));
  return nullptr;
}

}  // namespace warpgrade::nccl
