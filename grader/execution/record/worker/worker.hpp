// The state of one worker process: what it was asked, and the plan it is writing.
//
// The CUDA calls run inside student code, from its constructors to its exit handlers, so
// nothing here may depend on the order of static initialisation: worker() builds the state at the first call
// and never destroys it. Nothing here is trusted by anyone. A student can overwrite all of it, and gains a
// bad plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/wire.hpp"
#include "plan/plan.hpp"
#include "plan/request.hpp"
#include "runtime/backend.hpp"
#include "runtime/state.hpp"

namespace warpgrade::record {

/// The descriptors that the record server leaves open, besides 0, 1 and 2.
inline constexpr int request_descriptor = 3, plan_descriptor = 4;

enum class Phase : std::uint8_t { before, inside, after };  ///< of the launcher's call

/// Device memory as the launcher sees it. The index in Worker::slots is the slot of addresses.hpp.
struct Slot {
  std::string name;
  std::uint64_t bytes = 0;
  plan::Owner owner = plan::Owner::judge;
  std::uint8_t device = 0;
  bool live = true;
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
  void failed_launch(const std::string &reason);
  /// After a launch, where there are two calls to compare or several devices.
  void launched();
  /// After a copy, a fill or a release of memory, where there are several devices.
  /// host_waits: whether the call, if it waits, waits until this has been done
  void moved(bool host_waits);
  /// Where there are several devices, what is recorded next belongs to this stream, or to the default stream of the
  /// current device.
  void use_stream(cudaStream_t, const char *call);
  /// A call of the runtime begins and ends; in some the host waits, for less than the device if host_waits() or
  /// moved() was called meanwhile.
  void begin_call(const char *call, bool waits);
  void end_call(bool succeeded);
  bool waits() const { return waits_; }
  void wait_for_less() { waits_ = false; }
  void host_waits(plan::HostWaits::For, std::uint32_t number);
  /// The event is recorded in the stream, or the stream waits for it.
  cudaError_t put_event(plan::Tag, cudaStream_t, cudaEvent_t, const char *call);
  /// Their numbers in the plan.
  std::uint32_t stream_of(cudaStream_t);
  std::uint32_t event_of(cudaEvent_t);
  /// The launcher returned and is called once more: what it may do is counted anew.
  void call_again();
  void thrown(const std::string &what);
  void mark(plan::Tag);
  void flush();

  /// Device memory. allocate() gives the address, 0 when the caps forbid it.
  std::uint64_t allocate(std::uint64_t bytes, const char *call);
  /// On the current device; 0 when the device code has no such variable.
  std::uint64_t address_of(cuda::Variable &, const char *call);
  std::vector<Slot> slots;
  std::uint8_t device = 0;  ///< the current one
  /// Whether the stream in use may fill memory of a device.
  bool may_fill(std::uint8_t owner) const;
  std::set<std::pair<std::uint8_t, std::uint8_t>>
      peers;                  ///< devices whose kernels may access memory of the other
  std::uint64_t scratch = 0;  ///< bytes of live student allocations
  std::uint64_t in_use() const { return scratch - std::min(scratch, kept_); }  ///< of them, of this call
  std::uint64_t uploaded = 0;

  cuda::State state;  ///< kernels and variables that the student's object registered, streams, events

 private:
  void read_orders();
  void note_callers();
  plan::WorkerOrders orders_;
  Writer plan_;
  /// Addresses of variables on devices other than the first.
  std::map<std::pair<const cuda::Variable *, std::uint8_t>, std::uint64_t> elsewhere_;
  std::map<std::pair<std::uint8_t, std::uint64_t>, std::uint32_t> streams_;  ///< by device and handle
  std::map<std::uint64_t, std::uint32_t> events_;                            ///< by handle
  std::vector<std::uint8_t> devices_of_streams_;  ///< of those that were created, in their order
  std::optional<std::uint32_t> stream_in_use_;
  const char *call_ = "";
  bool waits_ = false, moved_ = false;
  std::uint64_t operations_ = 0, kept_ = 0;
  std::size_t slots_before_ = 0;
  bool refused_ = false;
};

Worker &worker();

/// Return addresses of the functions that are open, innermost first. Walks the stack, which a student's code
/// may have damaged: what matters is to be written before.
struct Callers {
  std::array<std::uint64_t, 24> frames;
  std::uint8_t count = 0;
};
Callers callers();

/// The student's entry, redefined by objcopy, called with the request's numbers and the judge's fake
/// addresses. Returns false if the request does not have a value for each parameter.
bool call_entry(const plan::CallRequest &);

/// Writes all of it, whatever it takes; the pipe's reader may be gone, then nothing matters any more.
void write_all(int descriptor, std::span<const std::byte>);

}  // namespace warpgrade::record
