// The open event streams of browsers. All of them belong to one thread, which sends without ever waiting: a
// client costs a socket and a few dozen bytes, and one that does not read what it is sent is dropped.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace warpgrade::service {

class EventStreams {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::size_t all = 1200, person = 6;
    Clock::duration heartbeat = std::chrono::seconds(15);
    /// Browsers open a stream again by themselves, and then have to show a valid token again.
    Clock::duration life = std::chrono::minutes(10);
  };
  /// version  what the listeners of a topic should know; may throw when it cannot be said just now
  EventStreams(std::function<std::string(const std::string &topic)> version, const Limits &limits)
      : version_(std::move(version)), limits_(limits), counts_(std::make_shared<Counts>()) {}

  /// A place for one more stream of this person; free again when the last copy is gone. Empty: all are taken.
  using Seat = std::shared_ptr<const void>;
  Seat seat(const std::string &person);

  /// A connected socket whose response continues with events; `version` is the one that it was sent.
  void take(Descriptor socket, const std::string &topic, const std::string &version, Seat,
            Clock::time_point now);

  /// Drops clients that are gone or too slow, and sends the others what is new. For one thread.
  void turn(Clock::time_point now);

 private:
  struct Counts {
    std::mutex mutex;
    std::size_t all = 0;
    std::map<std::string, std::size_t> of;
  };
  struct Stream {
    Descriptor socket;
    std::string topic, version;
    Seat seat;
    Clock::time_point end, quiet_since;
  };
  std::function<std::string(const std::string &)> version_;
  Limits limits_;
  std::shared_ptr<Counts> counts_;
  std::mutex mutex_;
  std::vector<Stream> fresh_;    ///< under mutex_
  std::vector<Stream> streams_;  ///< of the thread that calls turn()
};

}  // namespace warpgrade::service
