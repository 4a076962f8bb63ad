// Common to the files that define the CUDA runtime's functions.
#pragma once

#include <cuda_runtime_api.h>

#include "plan/addresses.hpp"
#include "record/runtime/worker.hpp"

namespace warpgrade::record {

inline cudaError_t fail(cudaError_t error) {
  worker().last_error = error;
  return error;
}

/// For calls without a meaning in a plan.
inline cudaError_t refuse(const char *call, const std::string &rule) {
  worker().refuse(call, rule);
  return fail(cudaErrorNotSupported);
}

inline std::uint64_t number(const void *pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}
inline void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address);
}
inline bool on_device(const void *p) {
  return plan::is_device_address(number(p));
}

/// The slot that a pointer lies in; nothing for host pointers and made-up ones.
Slot *slot_at(const void *);
/// "C + 16 bytes"
std::string place_name(const void *);

}  // namespace warpgrade::record
