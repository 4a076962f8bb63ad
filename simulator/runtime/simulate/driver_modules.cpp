// The driver API: modules that are loaded while the program runs, their functions, and launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/files.hpp"
#include "runtime/launch.hpp"
#include "runtime/simulate/driver.hpp"

namespace warpgrade::cuda {
namespace {

constexpr std::uint32_t fatbin_magic = 0xBA55ED50, wrapper_magic = 0x466243b1;

/// The bytes of an image, whose size its own text tells.
std::vector<std::byte> copy_image(const void *image) {
  const auto *first = static_cast<const std::byte *>(image);
  std::uint32_t magic = 0;
  std::memcpy(&magic, first, sizeof magic);
  if (magic == wrapper_magic) {
    std::memcpy(&first, first + 8, sizeof first);
    magic = fatbin_magic;
  }
  std::size_t size = 0;
  if (magic == fatbin_magic) {
    std::uint16_t header = 0;
    std::uint64_t payload = 0;
    std::memcpy(&header, first + 6, sizeof header);
    std::memcpy(&payload, first + 8, sizeof payload);
    size = header + payload;
  } else {
    size = ::strnlen(reinterpret_cast<const char *>(first), std::size_t{1} << 30);
  }
  return {first, first + size};
}

cudaError_t load_module(Runtime &r, const char *call, std::vector<std::byte> image, Module *&to) {
  auto made = std::make_unique<Module>(std::move(image));
  const cudaError_t error = r.load(*made, call);
  if (error != cudaSuccess) return error;
  to = made.get();
  r.modules.push_back(std::move(made));
  return cudaSuccess;
}

Module *find_module(Runtime &r, const void *given) {
  for (const auto &module : r.modules)
    if (module.get() == given) return module.get();
  return nullptr;
}

/// The handle of a kernel of this module, made when it is first asked for.
Kernel *kernel_of(Runtime &r, Module &module, const char *name) {
  for (const auto &[handle, known] : r.handles)
    if (known->module == &module && known->name == name) return known;
  if (ptx::find_kernel(*module.ptx(), module.renamed(name)) == nullptr) return nullptr;
  auto made = std::make_unique<Kernel>();
  made->name = name;
  made->module = &module;
  Kernel *const kernel = made.get();
  r.handles[kernel] = kernel;
  r.kernels[kernel] = std::move(made);
  return kernel;
}

cudaError_t find_function(Runtime &r, void **to, const void *module, const char *name) {
  Module *found = find_module(r, module);
  if (to == nullptr || name == nullptr) return cudaErrorInvalidValue;
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  *to = kernel_of(r, *found, name);
  return *to == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
}

CUresult get_function(const char *call, void **to, const void *module, const char *name) {
  return driver_call(call, Waits::no, Needs::context,
                     [&](Runtime &r) { return find_function(r, to, module, name); });
}

cudaError_t find_variable(Runtime &r, Address *to, std::size_t *bytes, const void *module, const char *name) {
  Module *found = find_module(r, module);
  if (name == nullptr) return cudaErrorInvalidValue;
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  const auto address = r.device->variable(found->renamed(name));
  const Block *block = address ? r.blocks.starting_at(*address) : nullptr;
  if (block == nullptr) return cudaErrorSymbolNotFound;
  if (to != nullptr) *to = *address;
  if (bytes != nullptr) *bytes = block->bytes;
  return cudaSuccess;
}

CUresult get_variable(const char *call, CUdeviceptr *to, size_t *bytes, const void *module,
                      const char *name) {
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &r) {
    Address address = 0;
    const cudaError_t error = find_variable(r, &address, bytes, module, name);
    if (error == cudaSuccess && to != nullptr) *to = address;
    return error;
  });
}

cudaError_t load_image(Runtime &r, const char *call, void **to, const void *image) {
  if (to == nullptr || image == nullptr) return cudaErrorInvalidValue;
  Module *made = nullptr;
  const cudaError_t error = load_module(r, call, copy_image(image), made);
  *to = made;
  return error;
}

CUresult load_data(const char *call, void **to, const void *image) {
  return driver_call(call, Waits::no, Needs::context,
                     [&](Runtime &r) { return load_image(r, call, to, image); });
}

/// The text of a file; nothing if it cannot be read.
std::optional<std::string> read_file(const char *name) {
  try {
    return read_whole(name == nullptr ? "" : name);
  } catch (const ReadError &) {
    return std::nullopt;
  }
}

CUresult load_file(const char *call, void **to, const char *name) {
  const auto text = read_file(name);
  return text ? load_data(call, to, text->c_str()) : CUDA_ERROR_FILE_NOT_FOUND;
}

struct LaunchRequest {
  CUfunction function;
  dim3 grid, block;
  unsigned shared;
  CUstream stream;
  void **parameters, **extra;
  bool cooperative;
  dim3 cluster{0, 0, 0};
};

/// The arguments of a launch that come as one buffer.
cudaError_t read_extra(void **extra, const ptx::KernelLayout &layout, std::vector<std::byte> &to) {
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (std::size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<size_t *>(extra[i + 1]);
  }
  if (buffer == nullptr && layout.argument_bytes != 0) return cudaErrorInvalidValue;
  to.assign(layout.argument_bytes, std::byte{0});
  std::memcpy(to.data(), buffer, std::min<std::size_t>(bytes, to.size()));
  return cudaSuccess;
}

CUresult launch(const char *call, const LaunchRequest &q) {
  return driver_call(call, Waits::no, Needs::context, [&](Runtime &r) {
    KernelWork work{q.function, q.grid, q.block, q.shared, q.cooperative, {}, q.cluster};
    Kernel *kernel = nullptr;
    cudaError_t error = find_kernel(call, q.function, kernel);
    if (error != cudaSuccess) return error;
    void *none = nullptr;
    void **parameters = q.parameters != nullptr ? q.parameters : &none;
    if (q.parameters == nullptr && q.extra == nullptr && !kernel->layout->parameters.empty())
      return cudaErrorInvalidValue;
    if (q.extra != nullptr) {
      error = read_extra(q.extra, *kernel->layout, work.arguments);
      return error == cudaSuccess ? submit(r, call, q.stream, std::move(work)) : error;
    }
    error = make_kernel_work(call, parameters, work);
    return error == cudaSuccess ? submit(r, call, q.stream, std::move(work)) : error;
  });
}

/// What a linker has been given: PTX texts, joined into one image that cuModuleLoadData takes apart again.
struct Link {
  std::vector<std::string> texts;
  std::string image;
};

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

namespace {

void **any(void *p) {
  return static_cast<void **>(p);
}

cudaLaunchConfig_t runtime_config(const CUlaunchConfig &from) {
  cudaLaunchConfig_t to{};
  to.gridDim = dim3(from.gridDimX, from.gridDimY, from.gridDimZ);
  to.blockDim = dim3(from.blockDimX, from.blockDimY, from.blockDimZ);
  to.dynamicSmemBytes = from.sharedMemBytes;
  to.stream = from.hStream;
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));  // the same under another name
  to.attrs = reinterpret_cast<cudaLaunchAttribute *>(from.attrs);
  to.numAttrs = from.numAttrs;
  return to;
}

/// Where a failed load says why, if the program gave room.
void write_log(unsigned count, const CUjit_option *options, void **values, const std::string &text) {
  char *to = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) to = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) room = reinterpret_cast<size_t>(values[i]);
  }
  if (to != nullptr && room > 0) std::snprintf(to, room, "%s", text.c_str());
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule *to, const void *image) {
  return load_data("cuModuleLoadData", any(to), image);
}
CUresult cuModuleLoadDataEx(CUmodule *to, const void *image, unsigned count, CUjit_option *options,
                            void **values) {
  const CUresult result = load_data("cuModuleLoadDataEx", any(to), image);
  write_log(count, options, values,
            result == CUDA_SUCCESS ? "" : "the simulator cannot load this; see its report");
  return result;
}
CUresult cuModuleLoadFatBinary(CUmodule *to, const void *image) {
  return load_data("cuModuleLoadFatBinary", any(to), image);
}
CUresult cuModuleLoad(CUmodule *to, const char *name) {
  return load_file("cuModuleLoad", any(to), name);
}
// Its memory stays: what a program still launches of it is its own mistake on hardware, and rare.
CUresult cuModuleUnload(CUmodule given) {
  return driver_call("cuModuleUnload", Waits::yes, Needs::context, [&](Runtime &r) {
    return find_module(r, given) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuModuleGetFunction(CUfunction *to, CUmodule module, const char *name) {
  return get_function("cuModuleGetFunction", any(to), module, name);
}
CUresult cuModuleGetGlobal(CUdeviceptr *to, size_t *bytes, CUmodule module, const char *name) {
  return get_variable("cuModuleGetGlobal", to, bytes, module, name);
}
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule given) {
  return driver_call("cuModuleGetFunctionCount", Waits::no, Needs::context, [&](Runtime &r) {
    Module *module = find_module(r, given);
    if (count == nullptr || module == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module->ptx()->kernels.size());
    return cudaSuccess;
  });
}

CUresult cuLibraryLoadData(CUlibrary *to, const void *image, CUjit_option *, void **, unsigned,
                           CUlibraryOption *, void **, unsigned) {
  return load_data("cuLibraryLoadData", any(to), image);
}
CUresult cuLibraryLoadFromFile(CUlibrary *to, const char *name, CUjit_option *, void **, unsigned,
                               CUlibraryOption *, void **, unsigned) {
  return load_file("cuLibraryLoadFromFile", any(to), name);
}
CUresult cuLibraryUnload(CUlibrary) {
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel *to, CUlibrary library, const char *name) {
  return get_function("cuLibraryGetKernel", any(to), library, name);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *to, size_t *bytes, CUlibrary library, const char *name) {
  return get_variable("cuLibraryGetGlobal", to, bytes, library, name);
}
CUresult cuLibraryGetModule(CUmodule *to, CUlibrary library) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction *to, CUkernel kernel) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned, CUjit_option *, void **, CUlinkState *to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = reinterpret_cast<CUlinkState>(new Link);
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *,
                       unsigned, CUjit_option *, void **) {
  return driver_call("cuLinkAddData", Waits::no, Needs::context, [&](Runtime &r) {
    if (state == nullptr || data == nullptr) return cudaErrorInvalidValue;
    if (type != CU_JIT_INPUT_PTX) {
      r.not_supported("cuLinkAddData", "linking anything but PTX texts");
      return cudaErrorNotSupported;
    }
    const auto *first = static_cast<const char *>(data);
    reinterpret_cast<Link *>(state)->texts.emplace_back(first, ::strnlen(first, bytes));
    return cudaSuccess;
  });
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *name, unsigned, CUjit_option *,
                       void **) {
  auto text = read_file(name);
  if (!text) return CUDA_ERROR_FILE_NOT_FOUND;
  // Dynamic parallelism needs this library; the simulator has its own version of it.
  if (type == CU_JIT_INPUT_LIBRARY && std::string_view(name).find("cudadevrt") != std::string_view::npos)
    return CUDA_SUCCESS;
  return cuLinkAddData(state, type, text->data(), text->size(), name, 0, nullptr, nullptr);
}
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  return driver_call("cuLinkComplete", Waits::no, Needs::context, [&](Runtime &) {
    auto *const link = reinterpret_cast<Link *>(state);
    if (link == nullptr || image == nullptr || link->texts.empty()) return cudaErrorInvalidValue;
    link->image = fmt::format("{}", fmt::join(link->texts, next_text));
    *image = link->image.data();
    if (bytes != nullptr) *bytes = link->image.size() + 1;
    return cudaSuccess;
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  delete reinterpret_cast<Link *>(state);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra) {
  return launch("cuLaunchKernel",
                {f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, stream, parameters, extra, false});
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void **parameters) {
  return launch("cuLaunchCooperativeKernel",
                {f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, stream, parameters, nullptr, true});
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **parameters, void **extra) {
  if (c == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  dim3 cluster(0, 0, 0);
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const CUlaunchAttribute &a = c->attrs[i];
    if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = a.value.cooperative != 0;
    const auto &shape = a.value.clusterDim;
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) cluster = dim3(shape.x, shape.y, shape.z);
  }
  return launch("cuLaunchKernelEx", {f, dim3(c->gridDimX, c->gridDimY, c->gridDimZ),
                                     dim3(c->blockDimX, c->blockDimY, c->blockDimZ), c->sharedMemBytes,
                                     c->hStream, parameters, extra, cooperative, cluster});
}

CUresult cuFuncGetAttribute(int *to, CUfunction_attribute attribute, CUfunction f) {
  cudaFuncAttributes all;
  const CUresult result = through_runtime(Needs::context, [&] { return cudaFuncGetAttributes(&all, f); });
  if (result != CUDA_SUCCESS) return result;
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *to = all.maxThreadsPerBlock;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *to = static_cast<int>(all.sharedSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *to = static_cast<int>(all.constSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *to = static_cast<int>(all.localSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *to = all.numRegs;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *to = all.ptxVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *to = all.binaryVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *to = all.maxDynamicSharedSizeBytes;
      return CUDA_SUCCESS;
    default:
      *to = 0;
      return CUDA_SUCCESS;
  }
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  return through_runtime(Needs::context, [&] {  // the numbers are the same
    return cudaFuncSetAttribute(f, static_cast<cudaFuncAttribute>(attribute), value);
  });
}
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return CUDA_SUCCESS;
}
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) {
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char **to, CUfunction f) {
  return through_runtime(Needs::context, [&] { return cudaFuncGetName(to, f); });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *to, CUfunction f, int threads, size_t shared) {
  return through_runtime(
      Needs::context, [&] { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, f, threads, shared); });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *to, CUfunction f, int threads,
                                                              size_t shared, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(to, f, threads, shared);
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int best = 0, processors = 0;
  for (int threads = limit > 0 ? std::min(limit, 1024) : 1024; threads >= 32; threads -= 32) {
    int active = 0;
    const CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &active, f, threads, shared_of != nullptr ? shared_of(threads) : shared);
    if (result != CUDA_SUCCESS) return result;
    if (active * threads <= best) continue;
    best = active * threads;
    *block = threads;
    *grid = active;
  }
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  *grid *= processors;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *to, CUfunction f, int blocks, int threads) {
  return through_runtime(Needs::context,
                         [&] { return cudaOccupancyAvailableDynamicSMemPerBlock(to, f, blocks, threads); });
}
CUresult cuOccupancyMaxActiveClusters(int *to, CUfunction f, const CUlaunchConfig *given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t config = runtime_config(*given);
  return through_runtime(Needs::context, [&] { return cudaOccupancyMaxActiveClusters(to, f, &config); });
}
CUresult cuOccupancyMaxPotentialClusterSize(int *to, CUfunction f, const CUlaunchConfig *given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t config = runtime_config(*given);
  return through_runtime(Needs::context,
                         [&] { return cudaOccupancyMaxPotentialClusterSize(to, f, &config); });
}
CUresult cuFuncGetModule(CUmodule *to, CUfunction f) {
  return driver_call("cuFuncGetModule", Waits::no, Needs::context, [&](Runtime &r) {
    const auto known = r.handles.find(f);
    if (to == nullptr || known == r.handles.end()) return cudaErrorInvalidValue;
    *to = reinterpret_cast<CUmodule>(known->second->module);
    return cudaSuccess;
  });
}
CUresult cuKernelGetAttribute(int *to, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(to, attribute, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char **to, CUkernel kernel) {
  return cuFuncGetName(to, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

// The driver's handle of a kernel of the runtime.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *to, const void *symbol) {
  return api("cudaGetFuncBySymbol", Waits::no, [&](Runtime &r) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = reinterpret_cast<cudaFunction_t>(r.find_kernel(symbol));
    return *to == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}

#if CUDART_VERSION >= 12080  // the runtime's own calls for device code that is loaded while the program runs
cudaError_t cudaLibraryLoadData(cudaLibrary_t *to, const void *image, cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  constexpr const char *call = "cudaLibraryLoadData";
  return api(call, Waits::no, [&](Runtime &r) { return load_image(r, call, any(to), image); });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *to, const char *name, cudaJitOption *, void **, unsigned,
                                    cudaLibraryOption *, void **, unsigned) {
  constexpr const char *call = "cudaLibraryLoadFromFile";
  return api(call, Waits::no, [&](Runtime &r) {
    const auto text = read_file(name);
    return text ? load_image(r, call, any(to), text->c_str()) : cudaErrorFileNotFound;
  });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api("cudaLibraryUnload", Waits::yes, [&](Runtime &r) {
    return find_module(r, library) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *to, cudaLibrary_t library, const char *name) {
  return api("cudaLibraryGetKernel", Waits::no,
             [&](Runtime &r) { return find_function(r, any(to), library, name); });
}
cudaError_t cudaLibraryGetGlobal(void **to, size_t *bytes, cudaLibrary_t library, const char *name) {
  return api("cudaLibraryGetGlobal", Waits::no, [&](Runtime &r) {
    Address address = 0;
    const cudaError_t error = find_variable(r, &address, bytes, library, name);
    if (error == cudaSuccess && to != nullptr) *to = pointer(address);
    return error;
  });
}
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return api("cudaLibraryGetKernelCount", Waits::no, [&](Runtime &r) {
    Module *module = find_module(r, library);
    if (count == nullptr || module == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module->ptx()->kernels.size());
    return cudaSuccess;
  });
}
#endif

}  // extern "C"
