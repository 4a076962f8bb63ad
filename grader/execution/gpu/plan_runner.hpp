// Executes one launch plan on the GPUs of this child process.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/driver.hpp"
#include "gpu/plan_check.hpp"
#include "gpu/plan_streams.hpp"
#include "gpu/run_request.hpp"
#include "run/energy.hpp"
#include "run/run.hpp"

namespace warpgrade::gpu {

/// How a run ended, as a child reports it.
struct Ending {
  run::End end = run::End::completed;
  std::string message;
  double seconds = 0;       ///< between the events
  double host_seconds = 0;  ///< the same as the host saw it (run::Sample)
  run::Energy energy = {};  ///< if that was counted instead
};

/// A write into a guard zone of one buffer of the plan.
struct DamagedBuffer {
  std::uint32_t buffer = 0;
  GuardDamage damage;
};

/// What an error from the GPU itself means: a fault, a device error, or ours.
run::End end_of(CUresult code);

class PlanRunner {
 public:
  /// contexts  of the devices that plans may use, in the order of a plan's numbers; at least one
  PlanRunner(std::span<const Context> contexts, std::vector<std::byte> image);
  ~PlanRunner();
  PlanRunner(const PlanRunner &) = delete;
  PlanRunner &operator=(const PlanRunner &) = delete;

  /// Memory of another process that contains the judge buffers of dealt runs, one each, on the devices of the
  /// buffers. Throws DriverError.
  void adopt(const std::vector<std::uint64_t> &bytes, const std::vector<std::uint8_t> &devices,
             const std::vector<Descriptor> &files);
  /// Everything before the timed span: the module is loaded afresh, so that __device__ variables have their
  /// initial values; buffers, guards, inputs and uploads are prepared. Leaves the GPU idle. Returns the
  /// seconds for the module.
  /// throws Refusal, DriverError
  double prepare(const RunRequest &request, std::span<const std::byte> shared);
  /// The operations, between two events; waits for the GPU.
  Ending execute();
  /// Copies every judge buffer back to the shared memory; returns the buffers whose guard zones were written.
  /// After a dealt run, the process that dealt the judge buffers checks them.
  std::vector<DamagedBuffer> collect(std::span<std::byte> shared);

 private:
  double load_modules();
  void load_module(std::size_t device);
  void look_up_kernels();
  void place_buffers();
  CUdeviceptr adopted_address(std::size_t buffer) const;
  void upload_inputs(std::span<const std::byte> shared);
  /// One of these, for so many bytes on that device.
  CUdeviceptr place(std::vector<std::unique_ptr<Arena>> &arenas, std::size_t slot, std::uint64_t bytes,
                    std::size_t device, std::uint64_t random);
  CUdeviceptr address(const plan::Place &place) const;
  std::size_t device_of(const plan::Place &place) const { return request_.plan.buffers[place.buffer].device; }
  /// The context of a device, current from now on.
  const Context &on(std::size_t device) const;
  /// Whether kernels of a device may access the memory of another one, and copies go there directly.
  void let_reach(std::size_t device, std::size_t owner, bool allowed);
  void forget_who_reaches();
  void warm_up();
  void wait_in_vain() const;
  CUfunction function(const std::string &kernel);
  /// The launch's arguments with the addresses of this run. Throws Refusal.
  std::vector<std::byte> arguments(const plan::Launch &) const;
  /// what: for which the map is, with the reason if it is refused
  void put_tensor_map(const std::string &what, const plan::TensorMapArgument &, std::byte *to) const;
  CUresult launch(CUfunction, const plan::Launch &, std::vector<std::byte> arguments);
  void stage_uploads();

  struct Issue;  ///< puts one operation on the stream
  void issue_all();
  std::string why_not_launched(CUfunction function, const plan::Launch &launch, CUresult code) const;

  std::span<const Context> contexts_;
  std::vector<std::byte> image_;
  std::vector<CUmodule> modules_;                                        ///< by device
  std::map<std::pair<std::size_t, std::string>, CUfunction> functions_;  ///< likewise
  PlanStreams streams_;
  Watch watch_;
  std::set<std::pair<std::size_t, std::size_t>>
      reaches_;  ///< a device, and the owner of memory that it may access
  RunRequest request_;
  Slots slots_;
  std::vector<std::unique_ptr<Arena>> judge_arenas_,
      scratch_arenas_;  ///< kept from run to run if they fit
  std::vector<std::unique_ptr<Mapping>> adopted_;
  std::vector<std::pair<std::size_t, CUdeviceptr>>
      bare_;                            ///< allocations of a run without guards, with their devices
  std::vector<CUdeviceptr> addresses_;  ///< of every buffer of the plan
  std::byte *staged_ = nullptr;         ///< pinned; the bytes of every CopyIn in order
  std::size_t staged_bytes_ = 0, next_upload_ = 0;
  std::deque<L2Flush> flushes_;  ///< of each device
};

}  // namespace warpgrade::gpu
