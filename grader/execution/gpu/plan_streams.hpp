// The streams and events of a plan on the devices of this process. A plan for one device has none: everything
// goes into the stream of the one context, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/driver.hpp"
#include "plan/plan.hpp"

namespace warpgrade::gpu {

/// All of it throws DriverError; make() throws Refusal if there is no room for so many. Stream s of device d is on
/// contexts[d]; the context of the stream in use is the current one.
class PlanStreams {
 public:
  explicit PlanStreams(std::span<const Context> contexts) : contexts_(contexts) {}

  /// Makes those of a plan that check_plan() accepts, in place of the last plan's.
  void make(const plan::LaunchPlan &);
  bool several() const { return !streams_.empty(); }
  std::size_t devices() const { return devices_; }

  /// The device of the stream in use, and the stream: for work that is put there now.
  std::size_t device() const { return in_use_ ? streams_[*in_use_].device : 0; }
  const Context &context() const { return contexts_[device()]; }
  CUstream stream();

  void use(std::uint32_t stream);
  void record(std::uint32_t event);
  void wait(std::uint32_t event);
  /// A copy between two devices comes in the stream in use: where that is a default stream, after all earlier work of
  /// both devices, and before all later work.
  void begin_copy_between(std::size_t to, std::size_t from);
  void end_copy_between(std::size_t to, std::size_t from);
  /// Work on another device's own stream, in the order of the stream in use: after what is there, before what comes.
  template <class Work>
  void elsewhere(std::size_t device, const Work &work) {
    stream();  // the host has waited
    after(own_[device], streams_[*in_use_]);
    work(contexts_[device]);
    after(streams_[*in_use_], own_[device]);
  }
  /// The host waits before it puts more work anywhere; at the end of a plan, where none follows, it need not.
  void host_waits(const plan::HostWaits &, Watch &);
  /// What the host still has to wait for.
  void catch_up();

  /// Records the start on every device, after all that is in the contexts' own streams; the streams of the plan begin
  /// then. The first device's start comes first.
  void begin();
  /// Records the stop on every device, after all work of its streams; the first device's stop comes last.
  void end();
  /// The longest time between the start and the stop of a device.
  double seconds() const;
  void synchronize() const;  ///< all devices

 private:
  struct Stream {
    std::size_t device = 0;
    CUstream stream = nullptr;
    CUevent done = nullptr;
  };
  void destroy();
  /// The context of the stream is current afterwards.
  void record(const Stream &, CUevent) const;
  void wait(const Stream &, CUevent) const;
  /// What is put in `waiting` from now on waits for what is in `first` now.
  void after(const Stream &waiting, const Stream &first) const;
  void make_streams(const plan::LaunchPlan &);
  bool in_default_stream() const { return in_use_ && *in_use_ < devices_; }

  std::span<const Context> contexts_;
  std::size_t devices_ = 1;
  std::vector<Stream> streams_;  ///< of the plan
  std::vector<Stream> own_;      ///< of each context
  std::vector<CUevent> events_;  ///< null: never recorded
  std::optional<std::uint32_t> in_use_;
  std::vector<plan::HostWaits> waits_;  ///< that the host has put off
  Watch *watch_ = nullptr;
};

}  // namespace warpgrade::gpu
