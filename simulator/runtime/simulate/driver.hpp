// The driver API on top of the runtime's code: one device, whose memory all contexts share.
#pragma once

#include <cuda.h>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

/// A context is little more than a name here.
struct Context {
  unsigned flags = 0;
  bool primary = false;
};

struct Driver {
  bool initialised = false;
  Context primary{0, true};
  int primary_uses = 0;
  std::map<const void *, std::unique_ptr<Context>> contexts;
};
Driver &driver_state();
/// Of this thread; the last one is current.
std::vector<Context *> &context_stack();
bool is_context(const void *);
/// What the runtime does in its first call of a thread that has no context yet.
void make_primary_current();

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
