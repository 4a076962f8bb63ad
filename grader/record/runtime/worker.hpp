// The state of one worker process: what it was asked, and the plan it is writing.
//
// The CUDA calls of this folder run inside student code, from its constructors to its exit handlers, so
// nothing here may depend on the order of static initialisation: worker() builds the state at the first call
// and never destroys it. Nothing here is trusted by anyone. A student can overwrite all of it, and gains a
// bad plan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/wire.hpp"
#include "plan/plan.hpp"
#include "plan/request.hpp"
#include "record/server_protocol.hpp"

namespace warpgrade::record {

/// The descriptors that the record server leaves open, besides 0, 1 and 2.
inline constexpr int request_descriptor = 3, plan_descriptor = 4;

enum class Phase : std::uint8_t { before, inside, after };  ///< of the launcher's call

/// Device memory as the launcher sees it. The index in Worker::slots is the slot of addresses.hpp.
struct Slot {
  std::string name;
  std::uint64_t bytes = 0;
  plan::Owner owner = plan::Owner::judge;
  bool live = true;
};

/// A __global__ function that the student's object registered; cudaKernel_t points at one of these.
struct Kernel {
  std::string name;                    ///< mangled
  std::optional<std::uint32_t> index;  ///< in the request; nothing when the device code lacks it
  std::uint64_t max_dynamic_shared = 0;
  std::int32_t carveout = -1;
};

/// A __device__ or __constant__ variable that the student's object registered.
struct Variable {
  std::string name;
  std::optional<std::uint32_t> index;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< 0 until someone asks for it
};

class Worker {
 public:
  Worker();

  const plan::WorkerOrders &orders() const { return orders_; }
  Phase phase = Phase::before;
  int last_error = 0;  ///< cudaGetLastError

  /// Begins a record; the caller writes its fields to the returned writer. Nothing when the plan may not grow
  /// any more: it was refused, or the call `name` comes before or after the launcher, which is refused here.
  Writer *record(plan::Tag, const char *name);
  /// "cudaGraphCreate: a plan cannot hold graphs ...": the plan is bad; nothing of it is used.
  void refuse(const char *call, const std::string &rule);
  bool is_refused() const { return refused_; }
  void failed_launch(const std::string &reason);
  void thrown(const std::string &what);
  void mark(plan::Tag);
  void flush();

  /// Device memory. allocate() gives the address, 0 when the caps forbid it.
  std::uint64_t allocate(std::uint64_t bytes, const char *call);
  std::uint64_t address_of(Variable &, const char *call);
  std::vector<Slot> slots;
  std::uint64_t scratch = 0;  ///< bytes of live student allocations
  std::uint64_t uploaded = 0;

  /// Registration. Keys are addresses in the student's object.
  std::map<const void *, std::unique_ptr<Kernel>> kernels;
  std::map<const void *, Variable> variables;
  Kernel *find_kernel(const void *host_function_or_handle);
  const plan::KernelLayout *layout_of(const Kernel &) const;

 private:
  void read_orders();
  void note_callers();
  plan::WorkerOrders orders_;
  Writer plan_;
  std::uint64_t operations_ = 0;
  bool refused_ = false;
};

Worker &worker();

/// Return addresses of the functions that are open, innermost first. Walks the stack, which a student's code
/// may have damaged: what matters is to be written before.
struct Callers {
  std::array<std::uint64_t, 12> frames;
  std::uint8_t count = 0;
};
Callers callers();

/// The student's entry, redefined by objcopy, called with the request's numbers and the judge's fake
/// addresses. returns false when the request's problem is not in the table.
bool call_entry(const plan::CallRequest &);

/// Writes all of it, whatever it takes; the pipe's reader may be gone, then nothing matters any more.
void write_all(int descriptor, std::span<const std::byte>);

}  // namespace warpgrade::record
