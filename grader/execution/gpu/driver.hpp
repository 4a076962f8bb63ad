// The CUDA driver, loaded at run time: a table of the entry points that the children use, and one context.
// Only included by files that are built if the CUDA Toolkit's headers are there.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace warpgrade::gpu {

/// How often the L2 cache is flushed right before a timed span, about 30 us each on a large GPU. Once would
/// do for the cache; the others give the host time to queue the launches, or a library's first launch shows
/// up in the time.
constexpr int flushes_ahead = 16;

/// The driver can't be used on this machine: a sentence for people.
class DriverUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A driver call that failed.
class DriverError : public std::runtime_error {
 public:
  DriverError(CUresult code, const std::string &text) : std::runtime_error(text), code_(code) {}
  CUresult code() const { return code_; }

 private:
  CUresult code_;
};

// member, entry point whose type it has, exported name. The names have been exported by drivers since 11.2;
// renaming macros of newer headers play no part.
#define WARPGRADE_DRIVER_CALLS(X)                                                         \
  X(init, cuInit, "cuInit")                                                               \
  X(driver_version, cuDriverGetVersion, "cuDriverGetVersion")                             \
  X(error_name, cuGetErrorName, "cuGetErrorName")                                         \
  X(error_string, cuGetErrorString, "cuGetErrorString")                                   \
  X(device_count, cuDeviceGetCount, "cuDeviceGetCount")                                   \
  X(device_get, cuDeviceGet, "cuDeviceGet")                                               \
  X(device_name, cuDeviceGetName, "cuDeviceGetName")                                      \
  X(device_memory, cuDeviceTotalMem_v2, "cuDeviceTotalMem_v2")                            \
  X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                       \
  X(device_pci_bus_id, cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId")                        \
  X(device_can_reach, cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer")                     \
  X(primary_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                 \
  X(context_set, cuCtxSetCurrent, "cuCtxSetCurrent")                                      \
  X(context_synchronize, cuCtxSynchronize, "cuCtxSynchronize")                            \
  X(context_reach, cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess")                        \
  X(context_leave, cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess")                      \
  X(stream_create, cuStreamCreate, "cuStreamCreate")                                      \
  X(stream_destroy, cuStreamDestroy_v2, "cuStreamDestroy_v2")                             \
  X(stream_wait, cuStreamWaitEvent, "cuStreamWaitEvent")                                  \
  X(stream_synchronize, cuStreamSynchronize, "cuStreamSynchronize")                       \
  X(event_create, cuEventCreate, "cuEventCreate")                                         \
  X(event_record, cuEventRecord, "cuEventRecord")                                         \
  X(event_destroy, cuEventDestroy_v2, "cuEventDestroy_v2")                                \
  X(event_query, cuEventQuery, "cuEventQuery")                                            \
  X(event_synchronize, cuEventSynchronize, "cuEventSynchronize")                          \
  X(event_milliseconds, cuEventElapsedTime, "cuEventElapsedTime")                         \
  X(module_load, cuModuleLoadDataEx, "cuModuleLoadDataEx")                                \
  X(module_unload, cuModuleUnload, "cuModuleUnload")                                      \
  X(module_function, cuModuleGetFunction, "cuModuleGetFunction")                          \
  X(module_global, cuModuleGetGlobal_v2, "cuModuleGetGlobal_v2")                          \
  X(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")                         \
  X(function_set_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")                     \
  X(launch, cuLaunchKernel, "cuLaunchKernel")                                             \
  X(copy_in, cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2")                                \
  X(copy_out, cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2")                               \
  X(copy_within, cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync_v2")                            \
  X(copy_rows, cuMemcpy2DAsync_v2, "cuMemcpy2DAsync_v2")                                  \
  X(copy_between, cuMemcpyPeerAsync, "cuMemcpyPeerAsync")                                 \
  X(copy_rows_between, cuMemcpy3DPeerAsync, "cuMemcpy3DPeerAsync")                        \
  X(set_bytes, cuMemsetD8Async, "cuMemsetD8Async")                                        \
  X(set_words, cuMemsetD32Async, "cuMemsetD32Async")                                      \
  X(set_rows, cuMemsetD2D8Async, "cuMemsetD2D8Async")                                     \
  X(memory_alloc, cuMemAlloc_v2, "cuMemAlloc_v2")                                         \
  X(memory_free, cuMemFree_v2, "cuMemFree_v2")                                            \
  X(export_handle, cuMemExportToShareableHandle, "cuMemExportToShareableHandle")          \
  X(import_handle, cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle")      \
  X(reset_persisting, cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache")         \
  X(host_alloc, cuMemHostAlloc, "cuMemHostAlloc")                                         \
  X(host_free, cuMemFreeHost, "cuMemFreeHost")                                            \
  X(address_reserve, cuMemAddressReserve, "cuMemAddressReserve")                          \
  X(address_free, cuMemAddressFree, "cuMemAddressFree")                                   \
  X(physical_create, cuMemCreate, "cuMemCreate")                                          \
  X(physical_release, cuMemRelease, "cuMemRelease")                                       \
  X(physical_granularity, cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity") \
  X(map, cuMemMap, "cuMemMap")                                                            \
  X(unmap, cuMemUnmap, "cuMemUnmap")                                                      \
  X(set_access, cuMemSetAccess, "cuMemSetAccess")

// Drivers have exported these since CUDA 12; a plan for an older GPU needs none of them.
#define WARPGRADE_NEWER_DRIVER_CALLS(X)                       \
  X(launch_in_clusters, cuLaunchKernelEx, "cuLaunchKernelEx") \
  X(encode_tensor_map, cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled")

struct Driver {
#define WARPGRADE_MEMBER(member, call, name) decltype(&::call) member = nullptr;
  WARPGRADE_DRIVER_CALLS(WARPGRADE_MEMBER)
  WARPGRADE_NEWER_DRIVER_CALLS(WARPGRADE_MEMBER)  // null where the driver lacks it
#undef WARPGRADE_MEMBER

  /// throws DriverUnavailable
  static Driver open(const std::string &library);

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(CUresult code) const;
  /// throws DriverError that begins with what was attempted
  void check(CUresult code, const std::string &what) const;
};

/// The primary context of one device and one stream of it. It lives as long as the process.
struct Context {
  Driver driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUevent start = nullptr, stop = nullptr;
  bool virtual_memory = false;  ///< cuMemMap and related calls work
  bool shares_memory = false;   ///< and physical memory can be passed to another process as an open file
  int l2_bytes = 0;

  /// Current on this thread afterwards. Throws DriverUnavailable, DriverError.
  static Context create(const std::string &library, int device_index);
  /// That of another device, with the same driver. Throws DriverError.
  Context another(int device_index) const;
  /// Makes it current on this thread, where there are several. Throws DriverError.
  void enter() const { driver.check(driver.context_set(context), "cuCtxSetCurrent"); }
  int attribute(CUdevice_attribute which) const;
};

/// Watches a span between the context's two events from the host, once all of it is on the stream.
class Watch {
 public:
  explicit Watch(const Context &context) : context_(&context) {}
  /// Waits for the first event, and notes when it was. For a host that has to wait for something else meanwhile.
  void wait_for_start();
  /// Waits for both events. Returns the seconds between them by this process's clock, 0 if the first had
  /// already passed. An error of the GPU ends the wait; the next call reports it.
  double wait();

 private:
  /// Until the event is done or has failed; returns whether it was still ahead at first.
  bool until(CUevent event) const;
  const Context *context_;
  bool waited_ = false, saw_the_start_ = false;
  double began_ = 0;
};

/// Device memory of this process only.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Context &context) : context_(context) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  /// At least `bytes`; its contents are lost when it grows. Throws DriverError.
  void reserve(std::size_t bytes);
  CUdeviceptr at() const { return address_; }

 private:
  const Context &context_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

/// Pushes everything out of the L2 cache by writing a buffer of twice its size.
class L2Flush {
 public:
  explicit L2Flush(const Context &context) : context_(context) {}
  /// Before the first use: allocates; lines that a kernel asked the cache to keep become ordinary ones.
  /// Throws DriverError.
  void prepare();
  /// Asynchronously, `times` times.
  void issue(int times) const;
  /// Keeps the GPU busy with it, so that its clocks are up.
  void spin(double seconds) const;

 private:
  const Context &context_;
  CUdeviceptr buffer_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace warpgrade::gpu
