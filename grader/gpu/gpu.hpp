// Replays launch plans on an NVIDIA GPU, in child processes that a student's kernel may take down.
//
// Takes   plan::LaunchPlan, the fat binary that the judge's own compile made, host inputs.
// Gives   run::Run (every judge buffer as it was after the run, writes into guard zones, device printf) and
// times. Throws  nothing on account of a GPU, a driver or a student: those are End values and sentences. Only
// a caller's
//         mistake (a lock directory that does not exist) and memory of our own throw.
//
// The CUDA driver and cuBLAS are opened by name at run time, in the children alone: this process never
// touches the GPU. A child is this same program started again, so every main that uses gpu/ begins with
//
//     if (const auto status = warpgrade::gpu::run_as_child(argc, argv)) return *status;
//
// Trust: once a student's kernel has run, a replay child is tainted. It never sees seeds, expected values or
// paths; what it answers is length-checked and is only times, status codes and bytes in the shared memory.
// Three clocks bear on a time: the GPU's events, this process's clock around the same span, and the deadline.
//
// Not safe for two threads at once on one object. Two objects are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "run/run.hpp"

namespace warpgrade::gpu {

/// The whole life of a child process when argv[1] names one of ours ("--gpu-replay-child",
/// "--gpu-cublas-child"): gives its exit status. Otherwise gives nothing and touches nothing. Call it first
/// thing in main.
std::optional<int> run_as_child(int argc, char **argv);

/// How children are started. The defaults are right for a program whose main calls run_as_child().
struct ChildOptions {
  std::string program = "/proc/self/exe";
  std::string driver_library = "libcuda.so.1";
  std::vector<std::string>
      cublas_directories;  ///< looked in before the linker's own search and /usr/local/cuda/lib64
  std::vector<std::string> environment;  ///< NAME=value, added to the inherited ones
  double setup_seconds = 60;             ///< for what is ours: contexts, module load, uploads, downloads
  double kill_seconds = 10;  ///< how long a killed child may take to vanish before its GPU is given up
  std::size_t output_bytes =
      64 << 10;  ///< of what a child prints (device printf too); the rest is dropped and said
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
  plan::DeviceProperties properties;
  bool operator==(const DeviceInfo &) const = default;
};

struct DeviceQuery {
  std::vector<DeviceInfo> devices;
  std::string why_none;  ///< one sentence when devices is empty
};

/// Which GPUs there are; asks in a child process, so a driver that hangs or crashes costs a sentence.
DeviceQuery query_devices(const ChildOptions &options = {});

struct ReplayLimits {
  double run_seconds = 10;                               ///< wall clock, from the first operation to the last
  std::uint64_t scratch_bytes = std::uint64_t{4} << 30;  ///< the launcher's allocations at one time
};

/// How one timed run is prepared; all of it happens outside the timed span.
struct SampleOptions {
  bool flush_l2 = true;        ///< push the inputs out of the L2 cache
  double spin_seconds = 0.01;  ///< keep the GPU busy first, so that its clocks are up after our verifying
};

/// A run with its time. `sample` means something only when run.end == completed.
struct Timed {
  run::Run run;
  run::Sample sample;
};

/// One student's device code on one GPU, in one child process at a time. A child that faulted or was killed
/// is replaced by itself at the next call.
class Replay {
 public:
  /// fat_binary  as nvcc writes it, or a cubin, or PTX text; the driver takes SASS of this GPU and else
  /// compiles PTX
  Replay(DeviceInfo device, std::vector<std::byte> fat_binary, ReplayLimits limits = {},
         ChildOptions options = {});
  ~Replay();
  Replay(Replay &&) noexcept;
  Replay &operator=(Replay &&) noexcept;

  /// inputs  one per judge buffer of the plan, in its order; the sizes must agree
  /// returns completed with every buffer, or why not. A write into a guard zone leaves the end `completed`:
  ///         guards_written names it, and judge/ decides.
  run::Run replay(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs);
  Timed time_once(const plan::LaunchPlan &plan, const std::vector<run::HostBuffer> &inputs,
                  const SampleOptions &options = {});

  const DeviceInfo &device() const;
  /// False once a killed child did not vanish in time: a person must look at this GPU. Every later run says
  /// so.
  bool gpu_came_back() const;
  /// How long the driver took to load (and, from PTX, compile) the module, in the last run that completed. It
  /// does so before every run, outside the timed span.
  double module_load_seconds() const;
  /// From the last SIGKILL on a deadline until the process was gone.
  double last_kill_seconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// C = alpha * A * B + beta * C, row-major and contiguous: A is m x k, B k x n, C m x n.
struct Sgemm {
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
};

struct CublasResult {
  std::string why;  ///< empty when it ran
  run::Sample sample;
  std::vector<float> c;
};

/// cuBLAS in plain fp32 (no TF32, no emulation) in a process of its own that never sees student code.
class CublasReference {
 public:
  explicit CublasReference(DeviceInfo device, ChildOptions options = {});
  ~CublasReference();
  CublasReference(CublasReference &&) noexcept;
  CublasReference &operator=(CublasReference &&) noexcept;

  /// a, b, c as problem Sgemm says; the sizes must agree. The first call also creates the context.
  CublasResult sgemm(const Sgemm &problem, const std::vector<float> &a, const std::vector<float> &b,
                     const std::vector<float> &c, const SampleOptions &options = {});
  /// "cuBLAS 13.0.2 from /usr/local/cuda/lib64/libcublas.so.13" once a call has succeeded.
  const std::string &version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Holds one GPU for measuring: an exclusive lock on a file in `directory` that all graders of a machine
/// share.
class DeviceLock {
 public:
  /// Waits until it has the lock or `wait_seconds` are over (then held() is false).
  /// throws std::system_error when the file can't be opened
  DeviceLock(const std::string &directory, const DeviceInfo &device, double wait_seconds);
  ~DeviceLock();
  DeviceLock(DeviceLock &&other) noexcept;
  DeviceLock &operator=(DeviceLock &&) = delete;
  bool held() const { return file_ >= 0; }

 private:
  int file_ = -1;
};

struct TimingOptions {
  int samples = 25;            ///< how many, decided by the judge alone
  int min_samples = 20;        ///< fewer is no measurement; only max_seconds can cut `samples` down to this
  int max_warmup = 12;         ///< runs before the first sample, ended earlier by two that agree
  double agree_within = 0.02;  ///< relative difference of two successive warm-up runs that counts as settled
  double max_seconds = 60;     ///< for all of it
  SampleOptions sample;
  std::string lock_directory;  ///< empty: no lock
  double lock_wait_seconds = 600;
};

/// Times in seconds. Raw samples are kept, so that scoring can be repeated without a GPU.
struct Measurement {
  bool ok = false;
  std::string why;                 ///< one sentence when not ok
  std::optional<run::Run> failed;  ///< the run that ended it (fault, guard, time limit...), when one did
  std::optional<int>
      failed_sample;  ///< set when the caller's check rejected a sample; `why` is the caller's text
  std::vector<double> seconds, outer_seconds, cublas_seconds;
  int warmup_runs = 0;
  double median = 0, p10 = 0, p90 = 0;
  std::optional<double> cublas_median;
  std::string why_no_cublas;  ///< set exactly when cublas_median is not
};

/// The q-quantile (0..1) with linear interpolation between the order statistics; NaN for no values.
double quantile(std::vector<double> values, double q);

/// Why these times cannot be true together, or "": the GPU's events against this process's clock around them.
std::string impossible_time(const std::vector<double> &seconds, const std::vector<double> &outer_seconds);

using FreshInputs = std::function<std::vector<run::HostBuffer>(int sample)>;
/// Gives "" when the outputs are right, else the finding. Called once per timed sample, outside the timed
/// span.
using Verify = std::function<std::string(int sample, const std::vector<run::HostBuffer> &inputs,
                                         const std::vector<run::HostBuffer> &outputs)>;

/// Times a plan on fresh inputs, every sample verified, cuBLAS interleaved on the same inputs.
/// cublas, problem  null and empty when there is nothing to compare with; then why_no_cublas says so.
///                  The plan's judge buffers must be A, B, C in this order for cuBLAS to be asked.
/// Warm-up runs look to the student's code like samples; their inputs have negative sample numbers.
Measurement measure(Replay &replay, CublasReference *cublas, const std::optional<Sgemm> &problem,
                    const plan::LaunchPlan &plan, const FreshInputs &fresh_inputs, const Verify &verify,
                    const TimingOptions &options = {});

}  // namespace warpgrade::gpu
