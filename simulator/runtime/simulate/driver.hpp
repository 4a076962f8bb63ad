// The driver API on top of the runtime's code. All contexts of a device share its memory.
#pragma once

#include <cuda.h>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

/// A context is little more than a name here.
struct Context {
  unsigned flags = 0;
  bool primary = false;
  int device = 0;
};

struct Driver {
  Driver() {
    for (std::size_t i = 0; i < primary.size(); ++i) primary[i] = {0, true, static_cast<int>(i)};
  }
  bool initialised = false;
  std::array<Context, simt::most_devices> primary;  ///< of each device
  std::array<int, simt::most_devices> primary_uses{};
  std::map<const void *, std::unique_ptr<Context>> contexts;
};
Driver &driver_state();
/// Of this thread; the last one is current.
std::vector<Context *> &context_stack();
bool is_context(const void *);
/// What the runtime does in its first call of a thread that has no context yet.
void make_primary_current();
/// Of the thread's current context; nullptr if it is not one.
Context *context_of(const void *);

/// The driver's code for an error of the runtime.
CUresult result_of(cudaError_t);

enum class Needs : bool { initialisation, context };

/// Runs one call of the driver API. What goes wrong is not the runtime's last error.
template <class Body>
CUresult driver_call(const char *call, Waits waits, Needs needs, const Body &body) {
  if (!driver_state().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::context && context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  const cudaError_t before = last_error();
  const cudaError_t error = api(call, waits, body);
  last_error() = before;
  return result_of(error);
}

/// A call that the runtime answers just as well.
template <class Call>
CUresult through_runtime(Needs needs, const Call &call) {
  if (!driver_state().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::context && context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  const cudaError_t before = last_error();
  const cudaError_t error = call();
  last_error() = before;
  return result_of(error);
}

/// A box between memory and arrays as the driver's copies describe it.
cudaError_t make_box_copy(Runtime &, const CUDA_MEMCPY3D *, CopyWork &);

}  // namespace warpgrade::cuda
