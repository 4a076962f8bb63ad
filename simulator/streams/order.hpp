// What orders the operations of streams: default streams, events, copies between devices, and a host that waits.
// Streams, events and devices are numbers that the caller gives; nothing is thrown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace warpgrade::streams {

/// How many operations of each stream are known to have ended, by the stream's number.
using Clock = std::map<std::uint64_t, std::uint64_t>;
void join(Clock &to, const Clock &from);

struct Stream {
  int device = 0;
  bool blocking = true;     ///< it waits for the default stream of its device, and that one for it
  bool is_default = false;  ///< it is that one
};

/// An operation, and what has ended when it begins.
struct Numbered {
  std::uint64_t stream = 0, number = 0;
  Clock known = {};
  bool ended_by(const Clock &clock) const {
    const auto at = clock.find(stream);
    return at != clock.end() && at->second >= number;
  }
};

class Order {
 public:
  /// Before a stream is named elsewhere. A second time changes nothing.
  void declare(std::uint64_t stream, const Stream &);
  int device_of(std::uint64_t stream) const;

  /// What has ended when the next operation of a stream begins.
  Clock &before(std::uint64_t stream);
  /// What has ended once all operations of a stream have.
  Clock after(std::uint64_t stream);
  /// The same for all streams of a device.
  Clock after_all_of(int device);
  /// The next operation of a stream, or its last one again; numbers begin with 1.
  Numbered begin(std::uint64_t stream, bool again = false);
  /// That of its last one; 0: none.
  std::uint64_t last(std::uint64_t stream) const;
  /// Of all streams.
  const Clock &counts() const { return counts_; }

  void record(std::uint64_t stream, std::uint64_t event) { events_[event] = after(stream); }
  /// Null: it was never recorded.
  const Clock *event(std::uint64_t event) const;
  void wait(std::uint64_t stream, std::uint64_t event);
  void forget_event(std::uint64_t event) { events_.erase(event); }
  /// A copy from one device to another begins and ends. In a default stream it comes after all that either device was
  /// given before, and before all that follows on both.
  void begin_copy_between(std::uint64_t stream, int to, int from);
  void end_copy_between(std::uint64_t stream, int to, int from);
  /// The host has waited for this, which comes before all that it asks for from now on.
  void host_waits_for(const Clock &clock) { join(host_, clock); }
  const Clock &host() const { return host_; }

 private:
  /// What has ended once what a stream was given so far has, as far as is known without looking at others.
  void join_all_of(Clock &to, std::uint64_t stream) const;

  std::map<std::uint64_t, Stream> streams_;
  std::map<int, std::uint64_t> defaults_;  ///< by device
  Clock counts_;                           ///< operations so far
  std::map<std::uint64_t, Clock> known_;   ///< before the next operation, by stream
  std::map<std::uint64_t, Clock> events_;  ///< before their last record
  std::map<int, Clock> copied_;            ///< by device: copies before all that it does later
  Clock host_;
};

}  // namespace warpgrade::streams
