// What the runtime remembers for a program, whichever backend answers it: its kernels and variables, streams,
// events and limits. The backend keeps one State for the process and never destroys it, because the program
// calls from its constructors to its exit handlers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/device_properties.hpp"

namespace warpgrade::cuda {

class Module;    // the backend's: one fat binary of the program
struct Capture;  // of graph.hpp, where the backend has graphs
struct GraphNode;

/// What a program sets of a kernel, for each device.
struct KernelSettings {
  int max_dynamic_shared = 0;  ///< as cudaFuncSetAttribute set it
  int carveout = -1;
  bool large_clusters = false;  ///< cudaFuncAttributeNonPortableClusterSizeAllowed
};

/// A __global__ function that the program registered; cudaKernel_t points at one of these.
struct Kernel : KernelSettings {
  std::string name;  ///< mangled, as the program knows it
  Module *module = nullptr;
  const ptx::KernelLayout *layout = nullptr;  ///< set by backend::find_kernel
  std::uint32_t registers = 0;                ///< per thread of this very kernel, 0 if not known
  std::array<std::uint32_t, 3> cluster{};     ///< __cluster_dims__, zeros if not given or not known
  std::map<int, KernelSettings> elsewhere;    ///< settings on devices other than the first
  KernelSettings &on(int device) { return device == 0 ? *this : elsewhere[device]; }
  const KernelSettings &on(int device) const {
    static const KernelSettings unset;
    if (device == 0) return *this;
    const auto found = elsewhere.find(device);
    return found == elsewhere.end() ? unset : found->second;
  }
};

/// A __device__, __constant__ or __managed__ variable that the program registered.
struct Variable {
  std::string name;  ///< mangled
  std::uint64_t bytes = 0;
  Module *module = nullptr;
  void **managed = nullptr;   ///< where a managed variable's address goes; else nullptr
  std::uint64_t address = 0;  ///< of the recorder: 0 until the program needs it
};

struct Stream {
  unsigned flags = 0;
  int device = 0;                    ///< the one that was current when it was made
  std::shared_ptr<Capture> capture;  ///< while its work goes into a graph
  std::vector<GraphNode *> last;     ///< of the capture: what its next node waits for
};

struct Event {
  bool recorded = false, timing = true;
  int device = 0;                   ///< the one that was current when it was made
  std::uint64_t at = 0;             ///< warp instructions that the device had executed
  std::weak_ptr<Capture> captured;  ///< it was recorded in a captured stream,
  std::vector<GraphNode *> nodes;   ///< after these
};

struct State {
  State();

  Kernel *find_kernel(const void *function_or_handle);
  /// nullptr if there is none.
  Event *find_event(const void *handle);
  bool has_stream(const void *handle) const;
  /// Of the legacy and per-thread streams, which each device has: the current one, which is given.
  int device_of(const void *stream, int current) const;
  /// What cudaDeviceReset forgets: streams, events, limits, attributes of functions.
  void forget_device(int device);

  std::map<const void *, std::unique_ptr<Kernel>> kernels;  ///< by host function
  std::unordered_map<const void *, Kernel *> handles;       ///< by what cudaGetKernel gave
  std::map<const void *, Variable> variables;               ///< by the address of the host's variable
  std::map<std::uint64_t, Stream> streams;  ///< by handle; the legacy stream is not among them
  std::unordered_map<std::uint64_t, Event> events;
  std::uint64_t next_handle = 0x1000;
  std::map<int, std::map<int, std::size_t>> limits;  ///< by device, then by cudaLimit
  std::map<int, std::size_t> &limits_of(int device);
};

inline std::uint64_t number(const void *p) {
  return reinterpret_cast<std::uint64_t>(p);
}
inline void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address);
}

}  // namespace warpgrade::cuda
