// The part of the driver API that a launcher may use: tensor maps. It finds them by name, or calls them
// directly.
#include <cstring>

#include "record/worker/api.hpp"
#include "runtime/tensor_maps.hpp"

namespace warpgrade::cuda::backend {

// Both enumerations have the same numbers for these.
int enter_driver(const char *, Body body) {
  return body();
}
cudaError_t reject(const char *call, const std::string &why) {
  record::refuse(call, why);
  return cudaErrorInvalidValue;
}
cudaError_t refuse(const char *call, const std::string &what) {
  return record::refuse(call, "a plan cannot hold " + what);
}

}  // namespace warpgrade::cuda::backend

using namespace warpgrade::cuda;

extern "C" {

// Toolkits declare these with types that the headers for clang do not have; the linker goes by names.
cudaError_t get_entry_point(const char *, void **, unsigned long long,
                            int *) __asm__("cudaGetDriverEntryPoint");
cudaError_t get_entry_point(const char *name, void **to, unsigned long long, int *status) {
  constexpr const char *call = "cudaGetDriverEntryPoint";
  return backend::enter(call, Waits::no, [&] {
    if (name == nullptr || to == nullptr) return cudaErrorInvalidValue;
    if (std::strcmp(name, "cuTensorMapEncodeTiled") == 0)
      *to = reinterpret_cast<void *>(&cuTensorMapEncodeTiled);
    else if (std::strcmp(name, "cuTensorMapReplaceAddress") == 0)
      *to = reinterpret_cast<void *>(&cuTensorMapReplaceAddress);
    else
      return backend::refuse(call, Reason::loading);
    if (status != nullptr) *status = 0;  // cudaDriverEntryPointSuccess
    return cudaSuccess;
  });
}
cudaError_t get_entry_point_of(const char *, void **, unsigned, unsigned long long,
                               int *) __asm__("cudaGetDriverEntryPointByVersion");
cudaError_t get_entry_point_of(const char *name, void **to, unsigned, unsigned long long flags, int *status) {
  return get_entry_point(name, to, flags, status);
}

extern decltype(get_entry_point) get_entry_point_ptsz __asm__("cudaGetDriverEntryPoint_ptsz")
    __attribute__((alias("cudaGetDriverEntryPoint")));
extern decltype(get_entry_point_of) get_entry_point_of_ptsz __asm__("cudaGetDriverEntryPointByVersion_ptsz")
    __attribute__((alias("cudaGetDriverEntryPointByVersion")));

}  // extern "C"
