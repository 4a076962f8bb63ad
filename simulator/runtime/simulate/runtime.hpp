// The state of the runtime in a program's process, and the way into every call of it.
//
// The program calls from its constructors to its exit handlers, from any thread. runtime() builds the state
// at the first call and never destroys it; api() lets one thread in at a time. Everything that is asked for
// is done at once, so that streams and events are always ready; StreamOrder remembers what they order. What
// goes wrong in a kernel becomes known when a GPU's program would learn of it: at the next call that waits
// for the device.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "machine/device.hpp"
#include "runtime/backend.hpp"
#include "runtime/journal/journal.hpp"
#include "runtime/simulate/addresses.hpp"
#include "runtime/simulate/advice.hpp"
#include "runtime/simulate/arrays.hpp"
#include "runtime/simulate/graph.hpp"
#include "runtime/simulate/host_watch.hpp"
#include "runtime/simulate/journal_writer.hpp"
#include "runtime/simulate/modules.hpp"
#include "runtime/simulate/stream_order.hpp"
#include "runtime/simulate/traffic.hpp"

namespace warpgrade::cuda {

/// What a texture or surface object was made of.
struct TextureObject {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  cudaResourceViewDesc view{};
};

/// The attributes of a memory pool. All pools share the memory of the device.
struct Pool {
  int device = 0;
  std::uint64_t threshold = 0;  ///< bytes that the pool keeps
  int reuse[4] = {0, 1, 1, 1};  ///< by cudaMemPoolReuse...
};

class Runtime : public State {
 public:
  Runtime();

  // errors and findings
  cudaError_t begin(Waits);
  cudaError_t end(const char *call, cudaError_t);
  cudaError_t refuse_in_host_function(const char *call);
  void not_supported(const char *call, const std::string &why);
  /// Something that the host did wrong, said in one sentence.
  void mistake(const char *call, const char *code, std::string message, std::string buffer = {});
  /// What a launch was found to do; `hint` for each.
  void note(Finding);
  void flush_printed();
  /// At the end of the program: what was never freed, sums. Also from a handler of a fatal signal.
  void finish(bool ended_by_itself);
  /// cudaDeviceReset
  void reset();

  // devices: see devices.cpp
  bool has_device(int number) const {
    return number >= 0 && static_cast<std::size_t>(number) < devices.size();
  }
  /// The call in progress goes on with this device as the current one.
  void use(int number);
  bool may_access(int runner, int owner) const {
    return runner == owner || (peers[runner] >> owner & 1) != 0;
  }
  /// Lets one device access the memory of the other, or no longer.
  void set_access(int runner, int owner, bool may);
  /// Memory that a call gave to the program, on the current device.
  Block &add_block(Block);
  /// The program asked for the last error.
  void forget_failed_launch() { unasked_.reset(); }

  // modules and kernels
  /// Loads the module of a kernel or variable when that has not been done; an error code if it cannot be run.
  cudaError_t load(Module &, const char *call);

  std::recursive_mutex mutex;
  Options options;
  JournalWriter journal;
  std::vector<std::unique_ptr<simt::Device>> devices;
  simt::Device *device = nullptr;                       ///< the current one of the call in progress
  int current = 0;                                      ///< its number
  std::array<std::uint32_t, simt::most_devices> peers;  ///< whose memory each has access to, one bit each
  Blocks blocks;
  VisibleMemory visible;
  ManagedAdvice advice;
  std::uint64_t allocations = 0;
  /// Of a device: bytes in use, what cudaMallocAsync gave of them, and the most that this ever was.
  struct Usage {
    std::uint64_t used_bytes = 0, pool_bytes = 0, pool_high_bytes = 0;
  };
  std::array<Usage, simt::most_devices> usage;
  std::uint64_t graph_high_bytes = 0;  ///< the most that memory nodes of executable graphs had
  std::map<const void *, Pool> pools;  ///< by handle
  std::vector<std::unique_ptr<Module>> modules;

  std::map<const void *, std::shared_ptr<Graph>> graphs;
  std::map<const void *, std::unique_ptr<GraphExec>> graph_execs;
  std::map<std::shared_ptr<UserObject>, unsigned>
      user_objects;  ///< with the references that the program holds
  unsigned long long captures = 0;
  std::map<unsigned long long, GraphCondition> conditions;  ///< by handle
  std::map<const void *, std::unique_ptr<Array>> arrays;
  std::map<const void *, std::unique_ptr<Mipmap>> mipmaps;
  std::map<unsigned long long, TextureObject> textures;  ///< and surfaces

  StreamOrder order;
  Traffic traffic;
  HostWatch host_watch;

  std::string printed;                ///< by kernels, not yet on standard output
  std::uint64_t clock = 0;            ///< warp instructions so far
  cudaError_t pending = cudaSuccess;  ///< of a kernel, not yet known to the program
  bool told = false;                  ///< `broken` was what some call returned or cudaGetLastError said
  cudaError_t broken = cudaSuccess;   ///< known: every call returns it from now on
  bool launch_blocking = false;       ///< CUDA_LAUNCH_BLOCKING

 private:
  simt::Options device_options() const;
  std::set<std::string, std::less<>> taken_names_;
  std::set<std::string> reported_;
  std::optional<Finding> unasked_;  ///< of a launch that failed, until the program asks for the last error
  bool explained_ = false;          ///< what this call returns has its finding
};

/// While one of these exists, this thread runs a function that the program gave to a stream.
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  HostFunction(const HostFunction &) = delete;
  HostFunction &operator=(const HostFunction &) = delete;
  static bool runs();
};

Runtime &runtime();
cudaError_t &last_error();  ///< of this thread

/// Runs one call of the program: `body` takes the runtime and gives the error code.
template <class Body>
cudaError_t api(const char *call, Waits waits, const Body &body) {
  return backend::enter(call, waits, [&] { return body(runtime()); });
}

/// Whether the stream's work goes into a graph.
bool is_captured(const Runtime &, cudaStream_t);
cudaError_t perform(Runtime &, const char *call, const Work &);
cudaError_t submit(Runtime &, const char *call, cudaStream_t, Work);

// launch.cpp
cudaError_t launch_kernel(Runtime &, const char *call, const KernelWork &);
/// Checks a launch and copies its arguments, without running anything.
cudaError_t make_kernel_work(const char *call, void **arguments, KernelWork &);

// copy.cpp
cudaError_t copy(Runtime &, const char *call, const CopyWork &);
cudaError_t fill(Runtime &, const char *call, const FillWork &);
cudaError_t make_copy(Runtime &, const char *call, const cudaMemcpy3DParms *, CopyWork &);

}  // namespace warpgrade::cuda
