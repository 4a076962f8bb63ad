// Several devices: which one a thread uses, whose memory each may access, and what is said when it may not.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {

namespace backend {
/// As device(), before there is a runtime that knows the current one.
const Device &first_device();
}  // namespace backend

/// The device of the calling thread's current context; 0 where it has none.
int device_of_thread();
/// cudaDeviceReset of the current device, where there are others.
void reset_current(Runtime &);
/// Whose memory a pool gives.
std::size_t device_of_pool(const Runtime &, cudaMemPool_t);

/// A kernel was launched into a stream of a device that is not the current one: says so, and gives the error code.
cudaError_t refuse_stream_of_other_device(Runtime &, const char *call, int device);
/// A device was told to fill memory of another one, to which it has no access.
cudaError_t refuse_fill_elsewhere(Runtime &, const char *call, const Block &);

}  // namespace warpgrade::cuda
