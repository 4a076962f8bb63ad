// A launch on its way from the call to the backend.
#pragma once

#include <optional>
#include <vector>

#include "runtime/backend.hpp"

namespace warpgrade::cuda {

/// A kernel with its layout, by the host's function or a cudaKernel_t.
cudaError_t find_kernel(const char *call, const void *function, Kernel *&);

struct LaunchCall {
  const void *function = nullptr;  ///< of the host, or a cudaKernel_t
  dim3 grid, block;
  void **arguments = nullptr;  ///< one pointer per parameter
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  ///< blocks of a cluster; zeros: the launch does not say
};

/// A launch that was checked.
struct CheckedLaunch {
  Kernel *kernel = nullptr;  ///< nullptr if there is none
  std::optional<ptx::LaunchRefusal> refusal;
  cudaError_t error = cudaSuccess;
};
CheckedLaunch check(const char *call, const LaunchCall &);

/// The bytes that the kernel gets. They last until the thread's next launch.
const std::vector<std::byte> &pack(const ptx::KernelLayout &, void **arguments);

}  // namespace warpgrade::cuda
