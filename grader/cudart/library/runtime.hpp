// The state of the runtime in a program's process, and the way into every call of it.
//
// The program calls from its constructors to its exit handlers, from any thread. runtime() builds the state
// at the first call and never destroys it; api() lets one thread in at a time. Everything that is asked for
// is done at once, so that streams and events order nothing and are always ready. What goes wrong in a kernel
// becomes known when a GPU's program would learn of it: at the next call that waits for the device.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <unordered_map>

#include "cudart/journal.hpp"
#include "cudart/library/addresses.hpp"
#include "cudart/library/arrays.hpp"
#include "cudart/library/graph.hpp"
#include "cudart/library/modules.hpp"
#include "cudart/library/recorder.hpp"
#include "simt/device.hpp"

namespace warpgrade::cudart {

/// A __global__ function that the program registered; cudaKernel_t points at one of these.
struct Kernel {
  std::string name;  ///< mangled, as the program knows it
  Module *module = nullptr;
  int max_dynamic_shared = 0;  ///< as cudaFuncSetAttribute set it
  int carveout = -1;
};

struct Stream {
  unsigned flags = 0;
  std::shared_ptr<Capture> capture;  ///< while its work goes into a graph
  std::vector<GraphNode *> last;     ///< of the capture: what its next node waits for
};

struct Event {
  bool recorded = false, timing = true;
  std::uint64_t at = 0;             ///< warp instructions that the device had executed
  std::weak_ptr<Capture> captured;  ///< it was recorded in a captured stream,
  std::vector<GraphNode *> nodes;   ///< behind these
};

/// What a texture or surface object was made of.
struct TextureObject {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  cudaResourceViewDesc view{};
};

/// Whether a GPU has finished its work when a call returns; then what went wrong before is known.
enum class Waits : bool { no, yes };

class Runtime {
 public:
  Runtime();

  // errors and findings
  cudaError_t begin(Waits);
  cudaError_t end(const char *call, cudaError_t);
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

  // modules and kernels
  Kernel *find_kernel(const void *function_or_handle);
  /// Loads the module of a kernel or variable when that has not been done; an error code if it cannot be run.
  cudaError_t load(Module &, const char *call);
  /// nullptr, with `error` set, when there is no such kernel.
  const ptx::KernelFacts *facts_of(const void *function, const char *call, cudaError_t &error);

  std::recursive_mutex mutex;
  Options options;
  Recorder recorder;
  std::unique_ptr<simt::Device> device;
  Blocks blocks;
  VisibleMemory visible;
  std::uint64_t allocations = 0, used_bytes = 0;
  std::map<int, std::size_t> limits;  ///< by cudaLimit

  std::map<const void *, std::unique_ptr<Kernel>> kernels;  ///< by host function
  std::unordered_map<const void *, Kernel *> handles;       ///< by what cudaGetKernel gave
  std::map<const void *, std::pair<HostVariable, Module *>> variables;
  std::vector<std::unique_ptr<Module>> modules;

  std::map<std::uint64_t, Stream> streams;  ///< by handle; the legacy stream is not among them
  std::map<const void *, std::shared_ptr<Graph>> graphs;
  std::map<const void *, std::unique_ptr<GraphExec>> graph_execs;
  unsigned long long captures = 0;
  std::map<const void *, std::unique_ptr<Array>> arrays;
  std::map<const void *, std::unique_ptr<Mipmap>> mipmaps;
  std::map<unsigned long long, TextureObject> textures;  ///< and surfaces
  std::unordered_map<std::uint64_t, Event> events;
  std::uint64_t next_handle = 0x1000;

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
  bool explained_ = false;  ///< what this call returns has its finding
};

/// An event that is recorded in a captured stream, or that a stream waits for.
cudaError_t capture_event(Runtime &, cudaStream_t, Event &);
cudaError_t join_capture(Runtime &, cudaStream_t, const Event &);

Runtime &runtime();
cudaError_t &last_error();  ///< of this thread
int major_version();        ///< of the toolkit whose runtime this library stands for

inline std::uint64_t number(const void *p) {
  return reinterpret_cast<std::uint64_t>(p);
}
inline void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address);
}

/// Runs one call of the program: `body` takes the runtime and gives the error code.
template <class Body>
cudaError_t api(const char *call, Waits waits, const Body &body) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  if (const cudaError_t error = r.begin(waits); error != cudaSuccess) return r.end(call, error);
  try {
    return r.end(call, body(r));
  } catch (const std::bad_alloc &) {
    return r.end(call, cudaErrorMemoryAllocation);
  } catch (const std::exception &failure) {
    r.mistake(call, "simulator_failed", failure.what());
    return r.end(call, cudaErrorUnknown);
  }
}

/// --default-stream per-thread renames calls; there is one order of things here, so they are the same.
#define WARPGRADE_ALSO(name, suffix) extern decltype(name) name##suffix __attribute__((alias(#name)))

}  // namespace warpgrade::cudart
