// Common to the files of the recording backend.
#pragma once

#include "plan/addresses.hpp"
#include "record/worker/worker.hpp"
#include "runtime/backend.hpp"

namespace warpgrade::record {

/// The plan is bad, in words that fit no Reason: with names and sizes of the launcher's memory.
inline cudaError_t refuse(const char *call, const std::string &rule) {
  worker().refuse(call, rule);
  return cudaErrorNotSupported;
}

inline bool on_device(const void *p) {
  return plan::is_device_address(cuda::number(p));
}

/// The slot that contains a pointer; nothing for host pointers and made-up ones.
Slot *slot_at(const void *);
/// "C + 16 bytes"
std::string place_name(const void *);

}  // namespace warpgrade::record
