// Executes one launch plan on the GPU of this child process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/driver.hpp"
#include "gpu/plan_check.hpp"
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
  PlanRunner(const Context &context, std::vector<std::byte> image);
  ~PlanRunner();
  PlanRunner(const PlanRunner &) = delete;
  PlanRunner &operator=(const PlanRunner &) = delete;

  /// Memory of another process that contains the judge buffers of dealt runs, one each. Throws DriverError.
  void adopt(const std::vector<std::uint64_t> &bytes, const std::vector<Descriptor> &files);
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
  double load_module();
  void place_buffers();
  CUdeviceptr adopted_address(std::size_t buffer) const;
  void upload_inputs(std::span<const std::byte> shared);
  Arena &arena(std::vector<std::unique_ptr<Arena>> &arenas, std::size_t slot, std::uint64_t bytes);
  CUdeviceptr address(const plan::Place &place) const;
  CUfunction function(const std::string &kernel);
  /// The launch's arguments with the addresses of this run. Throws Refusal.
  std::vector<std::byte> arguments(const plan::Launch &) const;
  /// what: for which the map is, with the reason if it is refused
  void put_tensor_map(const std::string &what, const plan::TensorMapArgument &, std::byte *to) const;
  CUresult launch(CUfunction, const plan::Launch &, std::vector<std::byte> arguments) const;
  void stage_uploads();

  struct Issue;  ///< puts one operation on the stream
  void issue_all();
  std::string why_not_launched(CUfunction function, const plan::Launch &launch, CUresult code) const;

  const Context &context_;
  std::vector<std::byte> image_;
  CUmodule module_ = nullptr;
  std::map<std::string, CUfunction> functions_;
  RunRequest request_;
  Slots slots_;
  std::vector<std::unique_ptr<Arena>> judge_arenas_,
      scratch_arenas_;  ///< kept from run to run if they fit
  std::vector<std::unique_ptr<Mapping>> adopted_;
  std::vector<CUdeviceptr> bare_;       ///< allocations of a run without guards
  std::vector<CUdeviceptr> addresses_;  ///< of every buffer of the plan
  std::byte *staged_ = nullptr;         ///< pinned; the bytes of every CopyIn in order
  std::size_t staged_bytes_ = 0, next_upload_ = 0;
  L2Flush flush_;
};

}  // namespace warpgrade::gpu
