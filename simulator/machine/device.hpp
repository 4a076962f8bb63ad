// A simulated device: memory, modules, launches. Deterministic: the same calls give the same results
// anywhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "counters/branches.hpp"
#include "counters/counters.hpp"
#include "counters/diagnostic.hpp"
#include "counters/footprint.hpp"
#include "counters/path.hpp"
#include "counters/sample.hpp"
#include "decode/device_code.hpp"
#include "machine/instructions/texture.hpp"
#include "ptx/module.hpp"
#include "trace/recording.hpp"

namespace warpgrade::simt {

using Address = std::uint64_t;
constexpr std::uint8_t most_devices = 16;

class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// A host-side access outside one live allocation.
class BadAddress : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::uint64_t instruction_budget = 4'000'000'000;  ///< warp instructions per launch
  /// Not 0: the launch ends soon, and reports where its warps are. Null: it cannot be interrupted.
  const std::atomic<int> *interruption = nullptr;
  int threads = 1;  ///< host threads that share the blocks; results do not depend on it
  /// Warp instructions of a launch that one thread runs first, about a millisecond; 0: all threads start at once.
  std::uint64_t alone_until = 1 << 15;
  std::uint64_t schedule_seed = 0;          ///< not 0: the warps of a block take turns in another legal order
  bool shuffle_blocks = false;              ///< with a seed: blocks run in another order too
  std::optional<std::uint32_t> warp_first;  ///< the warp of each block that takes its turn before the others
  std::optional<std::uint64_t>
      block_first;              ///< the block that runs before the others, where none waits for one
  std::uint32_t schedules = 1;  ///< how many orders to try until an error or a warning is found
  /// An access outside memory, to freed memory or misaligned, ends the launch. False: it is reported and
  /// dropped, a load returns zero, and the launch continues; its status is `fault` all the same.
  bool stop_at_first = true;
  bool check_races = true;  ///< shared memory within a block, global memory within a launch
  bool check_initialized = true;
  /// Whether `if (*p < x) atomicMax(p, x)` is a warning, like a plain read beside a compare-and-swap, rather
  /// than an error. It is a race, but one that works in practice.
  bool forgive_looks_ahead = false;
  bool count = true;
  bool sample_lanes = false;  ///< keep one request of each memory instruction for LaunchResult::samples
  std::optional<TraceOptions> trace;  ///< keep all requests of one block for LaunchResult::trace
  /// Run these blocks alone, by number with x counting fastest; empty: all. A kernel whose blocks wait for
  /// each other is refused.
  std::vector<std::uint64_t> only_blocks;
  std::optional<RecordOptions> record;  ///< run the launch once more for LaunchResult::recording
  bool keep_path = false;               ///< fill LaunchResult::path
  bool keep_touched = false;            ///< fill LaunchResult::touched and LaunchResult::first_touches
  bool keep_branches = false;           ///< fill LaunchResult::branches
  std::size_t printf_bytes = 1 << 20;   ///< device printf beyond this is dropped
  std::uint64_t memory_bytes = 4ull << 30;
  bool starts_children =
      false;  ///< fill LaunchResult::children and ::conditions; else a kernel that starts another is refused
  int arch = 80;  ///< value of __CUDA_ARCH__ that a kernel may ask the device for
};

struct Launch {
  std::string kernel;  ///< mangled
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> arguments;  ///< packed according to Parameter::offset
  bool keeps_footprint = false;      ///< fill LaunchResult::footprint
  bool keeps_sources = false;        ///< with the lines of its accesses
  bool cooperative = false;          ///< all blocks co-resident: they may wait for each other (grid.sync())
  Dim3 cluster{0, 0, 0};       ///< blocks of a cluster; zeros: as the kernel says (__cluster_dims__), else 1
  bool large_clusters = true;  ///< clusters of more than 8 blocks are allowed
};

/// A kernel that a kernel started (dynamic parallelism).
struct Child {
  Launch launch;
  bool at_tail = false;  ///< after all others that its parent started, and their children
};

/// The value to which a kernel set the condition of a conditional node in a graph.
struct Condition {
  std::uint64_t handle = 0;
  std::uint32_t value = 0;
};

/// An access in a kernel's text.
struct AccessSource {
  SourceLine at;
  bool system = true;  ///< of an atomic or strong access: its scope is the system, not the device or a block
};

enum class Status {
  completed,
  fault,         ///< memory error, barrier error, trap: the launch stopped before the access
  launch_error,  ///< nothing ran
  time_limit,
  unsupported,
};
std::string_view name_of(Status);

struct LaunchResult {
  Status status = Status::completed;
  std::vector<Diagnostic> diagnostics;  ///< in the order of blocks; a fault is last
  std::string printed;
  Counters counters;
  std::uint64_t warp_instructions = 0;
  std::uint32_t schedules = 1;        ///< orders tried; memory holds the results of the first
  std::uint64_t schedule_seed = 0;    ///< of the order in which `diagnostics` were found
  std::vector<LaneSample> samples;    ///< by line; empty unless Options::sample_lanes, and after a fault
  Footprint footprint;                ///< of memory that is checked for races; empty if that is too much
  std::vector<AccessSource> sources;  ///< of its ranges
  std::vector<TracedRequest> trace;   ///< empty unless Options::trace, and after a fault
  std::vector<Child> children;  ///< that the caller is to run next, in this order, as after a kernel boundary
  std::vector<Condition>
      conditions;  ///< in the order in which they were set; the last one of a handle counts
  std::optional<Recording> recording;  ///< where Options::record found something to record
  Path path;  ///< of warp 0 of the last block that ran; empty unless Options::keep_path, and after a fault
  std::shared_ptr<const TouchedSectors> touched;  ///< null unless Options::keep_touched, and after a fault
  std::vector<FirstTouch> first_touches;          ///< likewise; of the last block that ran
  std::vector<BranchCount>
      branches;  ///< reached ones, by line; empty unless Options::keep_branches, and after a fault
};

class Device {
 public:
  explicit Device(Options = {});
  /// Another device of the same program, with a number of its own below most_devices. Both see one range of
  /// addresses; a kernel reaches memory of the other device when reach() says so.
  Device(Options, const Device &beside, std::uint8_t number);
  ~Device();
  Device(Device &&) noexcept;
  Device &operator=(Device &&) noexcept;

  /// bytes of device memory, 512-byte aligned, red zones on both sides; `name` appears in diagnostics
  /// throws OutOfMemory beyond Options::memory_bytes
  Address allocate(std::uint64_t bytes, std::string name, bool initialized = false);
  /// Memory of the host that kernels access at its own address and that counts as written; the caller keeps it
  /// until free(). throws BadAddress where live memory is already
  void map(std::span<std::byte> host, std::string name);
  /// Quarantines the memory: a later use is use_after_free. throws BadAddress unless it is the start of a
  /// live allocation
  void free(Address);

  // Host side; each throws BadAddress if the range is not within one live allocation.
  void write(Address, std::span<const std::byte>);
  void read(Address, std::span<std::byte>) const;
  void fill(Address, std::byte, std::uint64_t bytes);
  void copy(Address to, Address from, std::uint64_t bytes);
  /// The number of these bytes that neither a store nor the host has written.
  std::uint64_t unwritten(Address, std::uint64_t bytes) const;
  /// Whether those may be the padding of structs: repeated gaps of less than 8 bytes.
  bool lacks_only_padding(Address, std::uint64_t bytes) const;

  /// Gives module variables storage and their initial values. Several modules may be loaded.
  /// placed: variables in existing memory, such as managed ones
  void load(std::shared_ptr<const DeviceCode>,
            const std::map<std::string, Address, std::less<>> &placed = {});
  void load(std::shared_ptr<const ptx::Module>,
            const std::map<std::string, Address, std::less<>> &placed = {});
  std::optional<Address> variable(std::string_view name) const;

  /// Creates a texture or surface object, whose number a kernel takes; its memory must outlive it.
  std::uint64_t add_texture(Texture);
  /// False if there is no such object.
  bool remove_texture(std::uint64_t object);

  /// Validates as the driver does, then runs the kernel to its end. Never throws because of a kernel or
  /// launch.
  LaunchResult launch(const Launch &);
  /// cudaFuncAttributeMaxDynamicSharedMemorySize, up to 227 KiB with static shared memory included
  void set_max_dynamic_shared(std::string_view kernel, std::uint32_t bytes);

  /// Lets kernels of this device access the memory of another one, or not. A device alone reaches all memory.
  void reach(std::uint8_t other, bool may);
  /// Gives back what the device has: memory, modules, textures, settings. Other devices and memory of the host stay.
  void forget();

  /// cudaLimitMallocHeapSize
  void set_heap_limit(std::uint64_t bytes);

  const Options &options() const;
  void set_options(const Options &);  ///< for later launches; memory_bytes too

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::simt
