// The driver API: initialisation, devices, contexts, errors, and how programs find its functions.
#include "runtime/simulate/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/error_names.hpp"

namespace warpgrade::cuda {

Driver &driver_state() {
  static Driver *const state = new Driver;  // never destroyed: exit handlers of the program still call us
  return *state;
}

std::vector<Context *> &context_stack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

void make_primary_current() {
  driver_state().initialised = true;
  if (context_stack().empty()) context_stack().push_back(&driver_state().primary[0]);
}

Context *context_of(const void *given) {
  Driver &d = driver_state();
  for (int i = 0; i < backend::device_count(); ++i)
    if (given == &d.primary[static_cast<std::size_t>(i)]) return &d.primary[static_cast<std::size_t>(i)];
  const auto found = d.contexts.find(given);
  return found == d.contexts.end() ? nullptr : found->second.get();
}

bool is_context(const void *given) {
  return context_of(given) != nullptr;
}

CUresult result_of(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return static_cast<CUresult>(error);  // the numbers are the same
  }
}

namespace {

struct ResultName {
  CUresult code;
  const char *name;
};
constexpr ResultName result_names[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {CUDA_ERROR_UNSUPPORTED_LIMIT, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    {CUDA_ERROR_INVALID_SOURCE, "CUDA_ERROR_INVALID_SOURCE"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"}};

template <class Value>
CUresult tell(Value *to, Value value) {
  if (!driver_state().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = value;
  return CUDA_SUCCESS;
}

const ptx::DeviceProperties &figures() {
  return backend::device().figures;
}

CUresult check_device(CUdevice device) {
  if (!driver_state().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return device >= 0 && device < backend::device_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUcontext handle_of(Context *context) {
  return reinterpret_cast<CUcontext>(context);
}

CUresult create_context(CUcontext *to, unsigned flags, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<Context>(Context{flags, false, device});
  *to = handle_of(made.get());
  context_stack().push_back(made.get());
  driver_state().contexts[made.get()] = std::move(made);
  return CUDA_SUCCESS;
}

/// A function of ours by the name that cuda.h gives it, the newest version first.
void *find_function(const std::string &name) {
  Dl_info own;
  static void *const self = ::dladdr(reinterpret_cast<void *>(&find_function), &own) != 0
                                ? ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                : nullptr;
  for (const char *suffix : {"_v4", "_v3", "_v2", ""})
    if (void *found = ::dlsym(self, (name + suffix).c_str()); self != nullptr && found != nullptr)
      return found;
  return nullptr;
}

}  // namespace

int backend::enter_driver(const char *call, Body body) {
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &) { return body(); });
}

}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  runtime();  // from here on the report knows the program
  driver_state().initialised = true;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = nullptr;
  for (const ResultName &one : result_names)
    if (one.code == error) *name = one.name;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto *const known = find_error(static_cast<cudaError_t>(error));
  *text = known == nullptr ? nullptr : known->text;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  return tell(count, backend::device_count());
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (const CUresult bad = check_device(ordinal); bad != CUDA_SUCCESS) return bad;
  return tell(device, ordinal);
}
CUresult cuDeviceGetName(char *to, int bytes, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  if (to == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(to, static_cast<std::size_t>(bytes), "%s", figures().name.c_str());
  return CUDA_SUCCESS;
}
// The name alone is another function in CUDA 12, and this one in CUDA 13.
CUresult device_uuid_v2(CUuuid *, CUdevice) __asm__("cuDeviceGetUuid_v2");
CUresult device_uuid_v2(CUuuid *to, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, "warpgrade-simt-", 15);
  to->bytes[15] = "0123456789abcdef"[device];
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  return tell(bytes, static_cast<size_t>(figures().global_bytes));
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return through_runtime(Needs::initialisation, [&] {  // the numbers are the same
    return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  });
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *major = figures().major;
  *minor = figures().minor;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *to, int bytes, CUdevice device) {
  return through_runtime(Needs::initialisation, [&] { return cudaDeviceGetPCIBusId(to, bytes, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice *to, const char *id) {
  return through_runtime(Needs::initialisation, [&] { return cudaDeviceGetByPCIBusId(to, id); });
}
CUresult cuDeviceGetP2PAttribute(int *to, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice other) {
  return through_runtime(Needs::initialisation, [&] {
    return cudaDeviceGetP2PAttribute(to, static_cast<cudaDeviceP2PAttr>(attribute), from, other);
  });
}
CUresult device_uuid_v1(CUuuid *, CUdevice) __asm__("cuDeviceGetUuid");
CUresult device_uuid_v1(CUuuid *to, CUdevice device) {
  return device_uuid_v2(to, device);
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *to, CUarray_format, unsigned, CUdevice device) {
  return through_runtime(Needs::initialisation,
                         [&] { return cudaDeviceGetTexture1DLinearMaxWidth(to, nullptr, device); });
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice other) {
  return through_runtime(Needs::initialisation, [&] { return cudaDeviceCanAccessPeer(can, device, other); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *to, CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  ++driver_state().primary_uses[static_cast<std::size_t>(device)];
  return tell(to, handle_of(&driver_state().primary[static_cast<std::size_t>(device)]));
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  int &uses = driver_state().primary_uses[static_cast<std::size_t>(device)];
  if (uses == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --uses;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  return through_runtime(Needs::initialisation, [device] {
    std::vector<Context *> before =
        std::exchange(context_stack(), {&driver_state().primary[static_cast<std::size_t>(device)]});
    const cudaError_t error = cudaDeviceReset();
    context_stack() = std::move(before);
    return error;
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  driver_state().primary[static_cast<std::size_t>(device)].flags = flags;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  if (const CUresult bad = check_device(device); bad != CUDA_SUCCESS) return bad;
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = driver_state().primary[static_cast<std::size_t>(device)].flags;
  *active = driver_state().primary_uses[static_cast<std::size_t>(device)] != 0;
  return CUDA_SUCCESS;
}

// The parameters changed from version to version; programs ask for the one of their toolkit.
CUresult create_context_v2(CUcontext *, unsigned, CUdevice) __asm__("cuCtxCreate_v2");
CUresult create_context_v2(CUcontext *to, unsigned flags, CUdevice device) {
  return create_context(to, flags, device);
}
CUresult create_context_v3(CUcontext *, void *, int, unsigned, CUdevice) __asm__("cuCtxCreate_v3");
CUresult create_context_v3(CUcontext *to, void *, int, unsigned flags, CUdevice device) {
  return create_context(to, flags, device);
}
CUresult create_context_v4(CUcontext *, void *, unsigned, CUdevice) __asm__("cuCtxCreate_v4");
CUresult create_context_v4(CUcontext *to, void *, unsigned flags, CUdevice device) {
  return create_context(to, flags, device);
}
CUresult cuCtxDestroy(CUcontext given) {
  if (driver_state().contexts.count(given) == 0) return CUDA_ERROR_INVALID_CONTEXT;
  std::erase(context_stack(), reinterpret_cast<Context *>(given));
  driver_state().contexts.erase(given);
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext given) {
  if (!is_context(given)) return CUDA_ERROR_INVALID_CONTEXT;
  context_stack().push_back(reinterpret_cast<Context *>(given));
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext *to) {
  if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (to != nullptr) *to = handle_of(context_stack().back());
  context_stack().pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext given) {
  if (given != nullptr && !is_context(given)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context_stack().empty()) context_stack().pop_back();
  if (given != nullptr) context_stack().push_back(reinterpret_cast<Context *>(given));
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *to) {
  return tell(to, context_stack().empty() ? nullptr : handle_of(context_stack().back()));
}
CUresult cuCtxGetDevice(CUdevice *device) {
  if (driver_state().initialised && context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  return tell(device, context_stack().empty() ? 0 : context_stack().back()->device);
}
CUresult cuCtxGetFlags(unsigned *flags) {
  if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  return tell(flags, context_stack().back()->flags);
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  return tell(version, 3020u);
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return through_runtime(Needs::context,
                         [&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return through_runtime(Needs::context,
                         [&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return through_runtime(Needs::context, [&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *to) {
  return tell(to, CU_FUNC_CACHE_PREFER_NONE);
}
CUresult cuCtxGetId(CUcontext given, unsigned long long *to) {
  if (given == nullptr && !context_stack().empty()) given = handle_of(context_stack().back());
  if (!is_context(given)) return CUDA_ERROR_INVALID_CONTEXT;
  return tell(to, static_cast<unsigned long long>(number(given)));
}
CUresult cuProfilerStart() {
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  return CUDA_SUCCESS;
}

// How programs find functions by name, cudaGetDriverEntryPoint among them.
CUresult cuGetProcAddress(const char *name, void **to, int, cuuint64_t,
                          CUdriverProcAddressQueryResult *status) {
  if (name == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = find_function(name);
  if (status != nullptr)
    *status = *to == nullptr ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_SUCCESS;
  return *to == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
cudaError_t get_entry_point(const char *, void **, unsigned long long,
                            cudaDriverEntryPointQueryResult *) __asm__("cudaGetDriverEntryPoint");
cudaError_t get_entry_point(const char *name, void **to, unsigned long long,
                            cudaDriverEntryPointQueryResult *status) {
  return api("cudaGetDriverEntryPoint", Waits::no, [&](Runtime &) {
    if (name == nullptr || to == nullptr) return cudaErrorInvalidValue;
    *to = find_function(name);
    if (status != nullptr)
      *status = *to == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
    return cudaSuccess;
  });
}
cudaError_t get_entry_point_of(const char *, void **, unsigned, unsigned long long,
                               cudaDriverEntryPointQueryResult *) __asm__("cudaGetDriverEntryPointByVersion");
cudaError_t get_entry_point_of(const char *name, void **to, unsigned, unsigned long long flags,
                               cudaDriverEntryPointQueryResult *status) {
  return get_entry_point(name, to, flags, status);
}

extern decltype(get_entry_point) get_entry_point_ptsz __asm__("cudaGetDriverEntryPoint_ptsz")
    __attribute__((alias("cudaGetDriverEntryPoint")));
extern decltype(get_entry_point_of) get_entry_point_of_ptsz __asm__("cudaGetDriverEntryPointByVersion_ptsz")
    __attribute__((alias("cudaGetDriverEntryPointByVersion")));

/// Tables that only NVIDIA's own libraries know. NVRTC can do without; others bring machine code.
CUresult cuGetExportTable(const void **to, const CUuuid *) {
  Dl_info who;
  const bool known = ::dladdr(__builtin_return_address(0), &who) != 0 && who.dli_fname != nullptr;
  const std::string path = known ? who.dli_fname : "a library";
  const std::string name = path.substr(path.rfind('/') + 1);
  if (to != nullptr) *to = nullptr;
  if (name.starts_with("libnvrtc") || name.starts_with("libnvJitLink")) return CUDA_ERROR_NOT_SUPPORTED;
  runtime().not_supported(
      "cuGetExportTable",
      fmt::format("{} contains its own CUDA runtime and machine code, which the simulator cannot run; link "
                  "with -cudart shared, and leave such libraries out",
                  name));
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
