// Replays launch plans on an NVIDIA GPU, in child processes that a student's kernel may take down.
//
// Takes   plan::LaunchPlan, the fat binary that the judge's own compile made, host inputs.
// Gives   run::Run (every judge buffer as it was after the run, writes into guard zones, device printf) and
// times. Throws  nothing on account of a GPU, a driver or a student: those are End values and sentences. Only
// a caller's
//         mistake (a lock directory that does not exist) and memory of our own throw.
//
// The CUDA driver and NVIDIA's libraries are loaded at run time, only in the children: this process never
// touches the GPU. A child is this same program started again, so every main that uses gpu/ begins with
//
//     if (const auto status = warpgrade::gpu::run_as_child(argc, argv)) return *status;
//
// Trust: once a student's kernel has run, a replay child is tainted. It never sees seeds, expected values or
// paths; its answers are length-checked and consist only of times, status codes and bytes in the shared
// memory. Three clocks constrain a time: the GPU's events, this process's clock around the same span, and the
// deadline.
//
// Not safe for two threads at once on one object. Two objects are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "plan/plan.hpp"
#include "run/energy.hpp"
#include "run/run.hpp"

namespace warpgrade::gpu {

/// The whole life of a child process if argv[1] names one of ours ("--gpu-replay-child",
/// "--gpu-referee-child", "--gpu-probe-child"): returns its exit status. Otherwise returns nothing and
/// touches nothing. Call it first in main.
std::optional<int> run_as_child(int argc, char **argv);

/// How children are started. The defaults are right for a program whose main calls run_as_child().
struct ChildOptions {
  std::string program = "/proc/self/exe";
  std::string driver_library = "libcuda.so.1";
  std::string nvml_library = "libnvidia-ml.so.1";
  std::vector<std::string> library_directories;  ///< looked in for cuBLAS, cuSPARSE and CUB before the
                                                 ///< linker's own search and /usr/local/cuda/lib64
  std::vector<std::string> environment;          ///< NAME=value, added to the inherited ones
  double setup_seconds = 60;  ///< for what is ours: contexts, module load, uploads, downloads
  double kill_seconds = 10;   ///< how long a killed child may take to disappear before its GPU is given up
  std::string
      retired_directory;  ///< where GPUs that did not recover are noted (gpu/retired.hpp); empty: nowhere
  std::size_t output_bytes =
      64 << 10;  ///< of a child's output (device printf too); the rest is dropped, and a note says so
};

struct DeviceInfo {
  int index = 0;  ///< in the order of PCI bus ids
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory = 0;        ///< bytes
  std::string driver_version;      ///< "580.159.03, CUDA 13.0"
  std::string pci_bus_id;          ///< "0000:17:00.0": the same for every process, so locks are named by it
  bool reads_host_memory = false;  ///< kernels can reach pageable host memory (HMM, ATS): worth a warning
  std::vector<std::int32_t> reaches;  ///< by index: GPUs whose memory its kernels can access
  plan::DeviceProperties properties;
  bool operator==(const DeviceInfo &) const = default;
};

struct DeviceQuery {
  std::vector<DeviceInfo> devices;
  std::string why_none;  ///< one sentence if devices is empty
};

/// The GPUs of this machine. Asks in a child process, so a driver that hangs or crashes costs only a
/// sentence.
DeviceQuery query_devices(const ChildOptions &options = {});

/// GPUs that a plan for several devices may use: `first`, then those of `all` that are like it and that access
/// each other's memory.
std::vector<DeviceInfo> together_with(const DeviceInfo &first, const std::vector<DeviceInfo> &all);

struct ReplayLimits {
  double run_seconds = 10;                               ///< wall clock, from the first operation to the last
  std::uint64_t scratch_bytes = std::uint64_t{4} << 30;  ///< the launcher's allocations at one time
};

/// Enough to keep clocks up that are up: the GPU idles for a few milliseconds between two runs.
inline constexpr double spin_seconds_when_busy = 0.003;

/// How one timed run is prepared; all of it happens outside the timed span.
struct SampleOptions {
  bool flush_l2 = true;        ///< push the inputs out of the L2 cache
  double spin_seconds = 0.01;  ///< keep the GPU busy first, so that its clocks are high after our
                               ///< verification
  double energy_seconds =
      0;  ///< above 0: repeat the run for so long and count its energy, instead of its time
};

/// Device memory that a process of ours passes to a replay, and where in it a run's judge buffers are.
struct DealtBuffers {
  std::vector<Descriptor> memory;      ///< one for each judge buffer
  std::vector<std::uint64_t> bytes;    ///< of each memory
  std::vector<std::uint64_t> offsets;  ///< of the buffer in it
  std::vector<std::uint8_t> devices;   ///< of the plan: whose memory it is
  std::uint64_t generation = 0;        ///< a different number for different memory
};

/// A run with its time. `sample` is meaningful only if run.end == completed.
struct Timed {
  run::Run run;
  run::Sample sample;
  run::Energy energy = {};  ///< if SampleOptions wants that instead
};

/// One student's device code on one GPU or on several, in one child process at a time. A child that faulted or was killed
/// is replaced automatically at the next call.
class Replay {
 public:
  /// fat_binary  as nvcc writes it, or a cubin, or PTX text; the driver takes SASS of this GPU and else
  /// compiles PTX
  Replay(DeviceInfo device, std::vector<std::byte> fat_binary, ReplayLimits limits = {},
         ChildOptions options = {});
  /// devices  of plans, in the order of their numbers: see together_with(); at least one
  Replay(std::vector<DeviceInfo> devices, std::vector<std::byte> fat_binary, ReplayLimits limits = {},
         ChildOptions options = {});
  /// The same before the device code is known: start_early() may be called, and then use_code().
  explicit Replay(std::vector<DeviceInfo> devices, ReplayLimits limits = {}, ChildOptions options = {});
  void use_code(std::vector<std::byte> fat_binary);  ///< once, before the first run
  ~Replay();
  Replay(Replay &&) noexcept;
  Replay &operator=(Replay &&) noexcept;

  /// inputs  one per judge buffer of the plan, in its order; the sizes must agree
  /// returns completed with every buffer, or why not. A write into a guard zone leaves the end `completed`:
  ///         guards_written names it, and judge/ decides.
  run::Run replay(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs);
  /// The same with each buffer in an allocation of exactly its bytes, and memory of the launcher's as it comes: as a
  /// program of its own would run the plan. For tools that watch allocations; guards_written stays empty.
  run::Run replay_bare(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs);
  Timed time_once(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                  const SampleOptions &options = {});
  /// The same with inputs that another process has put in memory that both map. The outputs stay there.
  Timed time_dealt(const plan::LaunchPlan &plan, const DealtBuffers &buffers,
                   const SampleOptions &options = {});
  /// Starts the child, without waiting until it is ready, so that the next run need not wait as long.
  void start_early();

  const DeviceInfo &device() const;  ///< the first
  const std::vector<DeviceInfo> &devices() const;
  /// False once a killed child did not disappear in time: a person must look at this GPU. Every later run
  /// says so.
  bool gpu_came_back() const;
  /// How long the driver took to load (and, from PTX, compile) the module, in the last run that completed. It
  /// does so before every run, outside the timed span.
  double module_load_seconds() const;
  /// From the last SIGKILL at a deadline until the process was gone.
  double last_kill_seconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpgrade::gpu
