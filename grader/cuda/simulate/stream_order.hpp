// What orders the work of streams: events, the legacy stream, and a host that waits. The simulator does all
// work at once, in the order of the calls, so a missing order between streams never shows in the results.
// Therefore each operation's bytes are kept until the host has waited for it, and compared with those of
// later operations that nothing orders behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "cuda/simulate/addresses.hpp"
#include "simt/footprint.hpp"

namespace warpgrade::cuda {

class Runtime;

/// How many operations of each stream are known to have ended, by the stream's number.
using StreamClock = std::map<std::uint64_t, std::uint64_t>;

class StreamOrder {
 public:
  /// The stream that the operations of a call belong to.
  struct Place {
    bool inside = false, counted = false;
    std::uint64_t stream = 0;
  };
  /// Whether the bytes of operations are to be kept: there are streams that may run at the same time.
  bool watches(const Runtime &) const;
  /// The same for an operation on memory that the host sees: the host may touch it too early.
  bool watches_host(const Runtime &) const;
  /// Counts a launch of a kernel on such memory. False once there were many: keeping its bytes takes time.
  bool is_early_launch(const std::string &kernel) { return ++launches_[kernel] <= 16; }
  /// A call begins. If the host waits in it, its copies belong to the legacy stream.
  void begin_call(bool host_waits);
  /// The host has waited for the legacy stream if the call was a copy, and for the device otherwise.
  void end_call(Runtime &);
  /// The call waits for a stream or event of its own, not for the device.
  void wait_for_less() { host_waits_ = false; }
  /// Operations until the end of the call belong to this stream. The nodes of a graph stay in the graph's.
  void enter(std::uint64_t stream);
  std::uint64_t stream() const { return now_.stream; }
  /// While other threads of the program may call.
  Place pause() { return std::exchange(now_, {}); }
  void resume(Place place) { now_ = place; }

  /// What the operation accesses; `what` names it: "add(int*)", "cudaMemcpyAsync". `meets_host`: the host
  /// must not touch it before it has waited.
  void access(Runtime &, const std::string &what, simt::Footprint, bool meets_host = true);
  void record(Runtime &, std::uint64_t stream, std::uint64_t event);
  void wait(std::uint64_t stream, std::uint64_t event);
  void host_waits_for_stream(Runtime &, std::uint64_t stream);
  void host_waits_for_event(std::uint64_t event);
  /// Calls visit(footprint) for each operation that meets the host, which has not waited for it.
  template <class Visit>
  void each_unfinished(const Visit &visit) const {
    for (const Operation &one : open_)
      if (one.meets_host) visit(one.footprint);
  }
  /// The host has touched a byte that such an operation accesses.
  void host_touched(Runtime &, Address, bool writes) const;

 private:
  struct Operation {
    std::uint64_t stream = 0, number = 0;
    std::string what;
    simt::Footprint footprint;
    bool meets_host = true;
    std::size_t ranges = 0;
  };
  bool is_blocking(const Runtime &, std::uint64_t stream);
  StreamClock &before(Runtime &, std::uint64_t stream);
  StreamClock after(Runtime &, std::uint64_t stream);
  void compare(Runtime &, const Operation &now, const Operation &earlier) const;
  void host_knows(const StreamClock &);

  Place now_;
  bool host_waits_ = false;
  std::map<std::uint64_t, std::uint64_t> counts_;  ///< operations so far, by stream
  std::map<std::uint64_t, bool> blocking_;         ///< also streams that were destroyed
  std::map<std::uint64_t, StreamClock> known_;     ///< before the next operation, by stream
  std::map<std::uint64_t, StreamClock> events_;    ///< before their last record
  StreamClock host_;
  std::map<std::string, std::uint64_t> launches_;  ///< by kernel
  std::deque<Operation> open_;                     ///< those for which the host has not waited
  std::size_t open_ranges_ = 0;
};

}  // namespace warpgrade::cuda
