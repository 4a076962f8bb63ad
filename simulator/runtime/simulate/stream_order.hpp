// What orders the work of streams: events, the legacy stream, and a host that waits. The simulator does all
// work at once, in the order of the calls, so a missing order between streams never shows in the results.
// Therefore each operation's bytes are kept until the host has waited for it, and compared with those of
// later operations that nothing orders after it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/device.hpp"
#include "runtime/simulate/addresses.hpp"
#include "streams/kept.hpp"
#include "streams/order.hpp"

namespace warpgrade::cuda {

class Runtime;

/// Some of the nodes of one launch of a graph, which are numbered from 1 in the order in which they run.
class NodeSet {
 public:
  void add(std::size_t node);
  void add(const NodeSet &);
  bool has(std::size_t node) const;

 private:
  std::vector<std::uint64_t> words_;
};

class StreamOrder {
 public:
  /// What runs of the graph that a call launches; graphs within it count with it.
  struct Nodes {
    std::size_t count = 0;    ///< so far
    std::size_t current = 0;  ///< number of the node; 0: of no graph, or of one that is too large
    bool forks = false;       ///< some nodes do not wait for each other
    NodeSet before;           ///< what the current node waits for
  };
  /// The stream that the operations of a call belong to. A launch of a graph is one operation of its stream.
  struct Place {
    bool inside = false, counted = false;
    int device = 0;  ///< the current one of the call
    std::uint64_t stream = 0;
    Nodes nodes;
  };
  /// Whether the bytes of operations are to be kept: there are streams that may run at the same time.
  bool watches(const Runtime &) const;
  /// The same for an operation on memory that the host sees: the host may touch it too early.
  bool watches_host(const Runtime &) const;
  /// Counts a launch of a kernel on such memory. False once there were many: keeping its bytes takes time.
  bool is_early_launch(const std::string &kernel) { return ++launches_[kernel] <= 16; }
  /// A call begins. If the host waits in it, its copies belong to the legacy stream.
  void begin_call(int device, bool host_waits);
  /// The host has waited for the legacy stream if the call was a copy, and for the device otherwise.
  void end_call(Runtime &);
  /// The call waits for a stream or event of its own, not for the device.
  void wait_for_less() { host_waits_ = false; }
  /// Operations until the end of the call belong to this stream. The nodes of a graph stay in the graph's.
  void enter(std::uint64_t stream);
  std::uint64_t stream() const { return now_.stream; }
  /// That of the stream that the operations of the call belong to.
  int device(const Runtime &) const;
  const Nodes &nodes() const { return now_.nodes; }
  /// The node of a graph that waits for these begins. Gives its number.
  std::size_t begin_node(const NodeSet &before, bool forks);
  /// The node that was interrupted by those of a graph within it goes on.
  void end_nodes(const Nodes &outside);
  /// While other threads of the program may call.
  Place pause() { return std::exchange(now_, {}); }
  void resume(Place place) { now_ = place; }

  /// What the operation accesses; `what` names it: "add(int*)", "cudaMemcpyAsync". `meets_host`: the host
  /// must not touch it before it has waited.
  /// `scoped`: none of its atomics can tell the host anything.
  /// `sources`: the lines of a kernel's ranges.
  void access(Runtime &, const std::string &what, simt::Footprint, bool meets_host = true,
              bool scoped = false, std::vector<simt::AccessSource> sources = {});
  /// Memory of a pool is freed in a stream, or by the host: reports work that still uses it.
  void frees(Runtime &, const char *call, const Block &, std::optional<std::uint64_t> stream);
  void record(Runtime &, std::uint64_t stream, std::uint64_t event);
  void wait(Runtime &, std::uint64_t stream, std::uint64_t event);
  void forget_event(std::uint64_t event) { order_.forget_event(event); }
  /// A number that means the stream in every thread; calls of this class take it in place of the handle, while the device is
  /// that of the call.
  std::uint64_t name_for(int device, std::uint64_t stream);
  void host_waits_for_stream(Runtime &, std::uint64_t stream);
  void host_waits_for_event(std::uint64_t event);
  void host_waits_for_device(Runtime &, int device);
  /// The operation in progress.
  streams::Numbered number_operation(Runtime &);
  static std::string words_of(std::uint64_t stream);
  /// A copy between the memories of two devices in a default stream waits for all that either has been told to
  /// do, and what comes later waits for it. In other streams it is an operation like others.
  void begin_copy_between(Runtime &, int to, int from);
  void end_copy_between(Runtime &, int to, int from);
  /// A node of a graph calls a function of the host, which may tell other threads what has ended.
  void host_node_runs(Runtime &);
  /// Calls visit(footprint, scoped) for each operation that meets the host, which has not waited for it.
  template <class Visit>
  void each_unfinished(const Visit &visit) const {
    for (const streams::Operation &one : open_)
      if (one.meets_host) visit(one.footprint, one.scoped);
  }
  /// The host has touched a byte that such an operation accesses.
  void host_touched(Runtime &, Address, bool writes) const;

 private:
  /// The handle; for a default stream one number for each device, and for that of a thread for each thread too.
  std::uint64_t named(std::uint64_t stream) const;
  /// The same, declared to `order_`.
  std::uint64_t seen(const Runtime &, std::uint64_t stream);
  int device_of(const Runtime &, std::uint64_t stream) const;
  std::string place_of(const Runtime &, const streams::Operation &) const;
  bool is_ordered(const streams::Operation &now, const streams::Operation &earlier) const;
  void report(Runtime &, const streams::Meeting &, const streams::Operation &now,
              const streams::Operation &earlier) const;
  void host_knows(const streams::Clock &);

  Place now_;
  bool host_waits_ = false;
  streams::Order order_;
  std::map<std::string, std::uint64_t> launches_;  ///< by kernel
  streams::Kept open_;
};

}  // namespace warpgrade::cuda
