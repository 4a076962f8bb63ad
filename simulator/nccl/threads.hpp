// Whether the other threads of this process can still do anything: a call that waits for another rank asks.
#pragma once

#include <cstdint>
#include <map>
#include <set>

namespace warpgrade::nccl {

/// What was seen of the threads, one after the other. If two looks are equal, nothing ran between them.
struct Look {
  bool all_wait = false;                  ///< each waits for another thread, without a limit of time
  bool all_may_wait = false;              ///< likewise, or it sleeps, and the system does not say what for
  std::map<int, std::uint64_t> switches;  ///< how often each gave up a processor
  bool operator==(const Look &) const = default;
};

/// `known`: threads that are left out, by their ids; the calling one is too.
Look look_at_threads(const std::set<int> &known);

int this_thread();

}  // namespace warpgrade::nccl
