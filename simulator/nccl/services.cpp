#include "nccl/services.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace warpgrade::nccl {

const cuda::Services &services() {
  static const cuda::Services *const found = [] {
    void *function = ::dlsym(RTLD_DEFAULT, "cudaWarpgradeServices");
    if (function == nullptr)  // the program uses neither the runtime nor the driver itself
      if (void *const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL); driver != nullptr)
        function = ::dlsym(driver, "cudaWarpgradeServices");
    if (function == nullptr) {
      std::fputs("simt: this libnccl.so.2 works with simt run only\n", stderr);
      std::abort();
    }
    return reinterpret_cast<decltype(&cudaWarpgradeServices)>(function)();
  }();
  return *found;
}

}  // namespace warpgrade::nccl
