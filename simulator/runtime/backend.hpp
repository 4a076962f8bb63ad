// What the CUDA runtime does behind its entry points. The entry points of this folder are written once: they
// check arguments, look handles up and turn a call into Work; a backend does the work. One backend is linked:
// record/ writes the work into a launch plan, simulate/ runs it directly.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "ptx/launch_check.hpp"
#include "runtime/refusals.hpp"
#include "runtime/state.hpp"
#include "runtime/work.hpp"

namespace warpgrade::cuda {

/// Whether a GPU has finished its work when a call returns; then what went wrong before is known.
enum class Waits : bool { no, yes };

/// What a call does once it was let in. Borrows the function object for the time of the call.
class Body {
 public:
  template <class Function>
  Body(const Function &function)  // NOLINT(google-explicit-constructor): a lambda becomes one
      : object_(&function),
        run_([](const void *object) -> cudaError_t { return (*static_cast<const Function *>(object))(); }) {}
  cudaError_t operator()() const { return run_(object_); }

 private:
  const void *object_;
  cudaError_t (*run_)(const void *);
};

/// The GPU as the program sees it.
struct Device {
  ptx::DeviceProperties figures;
  // What a GPU has and a plan cannot hold, clusters excepted.
  bool shares_memory = false;  ///< managed memory, and host memory that kernels reach
  bool textures = false, cooperative_launches = false;
  bool clusters = false;  ///< and tensor maps: compute capability 9.0
  int number = 0;
};

/// A launch whose kernel is known and whose arguments are packed.
struct Launch {
  const void *function = nullptr;
  const Kernel *kernel = nullptr;  ///< its layout is set
  dim3 grid, block;
  std::size_t shared = 0;  ///< dynamic shared memory, bytes
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  std::span<const std::byte> arguments;         ///< as the layout says
  const ptx::LaunchRefusal *refusal = nullptr;  ///< why a GPU would not start it
  cudaError_t error = cudaSuccess;              ///< what the call returns then
  dim3 cluster{0, 0, 0};                        ///< that the launch requests; zeros: none
};

enum class MemoryKind { unknown, host, device, managed };

namespace backend {

struct Unlock {
  void operator()(std::recursive_mutex *) const noexcept;
};
/// Keeps other threads of the program out while the result lives. The recorder has no threads, and names no
/// function of them: an old C library keeps these in a library that the worker is not linked with.
std::unique_ptr<std::recursive_mutex, Unlock> lock();
/// Runs one call of the program. returns  its error code, which is the thread's last error if it is one.
cudaError_t enter(const char *call, Waits, Body);
/// The same for a call of the driver API. returns  its CUresult; it is not the runtime's last error
int enter_driver(const char *call, Body);
cudaError_t last_error(bool forget);
/// Reports that this backend cannot do it; returns the error code.
cudaError_t refuse(const char *call, Reason);
cudaError_t refuse(const char *call, const std::string &what);
/// Reports what is wrong with the call's arguments; returns cudaErrorInvalidValue.
cudaError_t reject(const char *call, const std::string &why);
/// Of the toolkit whose runtime this is: 12, 13.
int major_version();
State &state();
/// The calling thread's current device.
const Device &device();
/// How many there are, numbered from 0.
int device_count();
/// Makes an existing device the current one of the calling thread.
void set_device(int number);
/// While one of these exists, another device is the current one of the call in progress.
class OnDevice {
 public:
  explicit OnDevice(int number);
  ~OnDevice();
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

 private:
  int before_;
};
void limit_changed(cudaLimit, std::size_t value);

// Device code. A wrapper is what nvcc's constructors hand over (section .nvFatBinSegment).
Module *register_module(const void *wrapper);
void register_managed(Variable &);
/// Makes managed variables usable, before the host first touches one.
void prepare_module(Module *);
/// Loads its module if need be and sets its layout, which stays nullptr if the device code lacks the kernel.
cudaError_t load(const char *call, Kernel &);
/// Whether this may be launched at all now; `function` need not be one.
cudaError_t before_launch(const char *call, const void *function, bool cooperative);
cudaError_t launch(const char *call, const Launch &);
/// The attribute was checked and is set in the kernel.
cudaError_t attribute_changed(const char *call, const Kernel &, cudaFuncAttribute, int value);
/// An attribute that has nothing to do with shared memory and the size of clusters.
cudaError_t set_attribute(const char *call, cudaFuncAttribute);
/// What the kernel's device code was compiled for: 80 for compute capability 8.0.
int ptx_version(const Kernel &);

/// Whether a pointer can be stored there.
bool takes_a_pointer(const char *call, void **to);
/// `bytes` is not 0; *to is null and is set.
cudaError_t allocate(const char *call, void **to, std::uint64_t bytes);
cudaError_t allocate_host(const char *call, void **to, std::uint64_t bytes, unsigned flags);
/// `p` is not null.
cudaError_t release(const char *call, void *p, cudaStream_t);
cudaError_t release_host(const char *call, void *p);
cudaError_t register_host(void *p, std::size_t bytes, unsigned flags);
cudaError_t unregister_host(void *p);
cudaError_t host_flags(const void *p, unsigned &flags);
std::uint64_t available_bytes();
MemoryKind kind_of(const void *p);
/// Whose memory a pool gives.
int device_of_pool(cudaMemPool_t);
/// Of memory that is not unknown: whose it is, or for the host's the device that was current.
int device_of(const void *p);

/// Does it now; `call` is the program's call that requests it.
cudaError_t perform(const char *call, const Work &);
/// The same, but where the stream is captured the work becomes a node of its graph.
cudaError_t submit(const char *call, cudaStream_t, Work);

/// Where a variable's bytes from `offset` are on the device; checks that there are so many.
cudaError_t find_variable(const char *call, const void *symbol, std::size_t offset, std::size_t bytes,
                          std::uint64_t &address);
cudaError_t variable_bytes(const char *call, const void *symbol, std::size_t &bytes);

cudaError_t record_event(const char *call, cudaStream_t, cudaEvent_t, unsigned flags);
/// The event is of another device than the stream. Gives the error code.
cudaError_t refuse_event(const char *call, int device, int device_of_stream);
cudaError_t wait_for_event(const char *call, cudaStream_t, cudaEvent_t, unsigned flags);
/// The host has waited for the stream or event, in a call that waits for nothing else.
void host_waited_for_stream(cudaStream_t);
void host_waited_for_event(cudaEvent_t);
float milliseconds_between(const Event &, const Event &);
cudaStreamCaptureStatus capture_status(cudaStream_t);

}  // namespace backend

/// --default-stream per-thread renames calls; there is one order of things here, so they are the same.
#define WARPGRADE_ALSO(name, suffix) extern decltype(name) name##suffix __attribute__((alias(#name)))

}  // namespace warpgrade::cuda
