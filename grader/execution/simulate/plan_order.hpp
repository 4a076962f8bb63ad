// What orders the work of a plan on several devices: streams, events, default streams, and a host that waits. The
// simulator does one operation after the other, so a missing order never shows in the results. Therefore the bytes of
// each operation are kept and compared with those of later ones that nothing orders after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/diagnostic.hpp"
#include "counters/footprint.hpp"
#include "plan/plan.hpp"
#include "streams/clock.hpp"

namespace warpgrade::run {

/// Behind the clause about the earlier operation in the message of a conflict.
inline constexpr std::string_view nothing_orders = ": nothing orders the two.";
/// What a release of memory is called among the operations.
inline constexpr std::string_view freeing = "cudaFree";

/// Two operations that nothing orders.
struct Conflict {
  simt::Diagnostic diagnostic;
  std::size_t earlier = 0, later = 0;  ///< their numbers in the plan
};

class PlanOrder {
 public:
  /// buffer_at  the name of the buffer that contains an address
  PlanOrder(const plan::LaunchPlan &, std::function<std::string(std::uint64_t)> buffer_at);

  void record(std::uint32_t event);
  void wait(std::uint32_t event);
  void host_waits(const plan::HostWaits &);
  /// For everything: between two calls of the launcher.
  void host_waits_for_all();
  void use(std::uint32_t stream) { now_ = stream; }
  /// A copy from one device to another begins and ends. In a default stream it comes after all that either device was
  /// given before, and before all that follows on both.
  void begin_copy_between(std::uint8_t to, std::uint8_t from);
  void end_copy_between(std::uint8_t to, std::uint8_t from);
  std::uint32_t stream() const { return now_; }

  /// An operation of the stream in use. what: "tile(float*, int)", "a copy"; operation: its number in the plan.
  /// Returns the first conflict with an earlier operation that is not ordered before it.
  std::optional<Conflict> access(const std::string &what, std::size_t operation, simt::Footprint);
  /// The last of these: its number in its stream, and what had ended when it began.
  struct Numbered {
    std::uint64_t number = 0;
    streams::Clock known;
  };
  const Numbered &last() const { return last_; }
  std::string name_of(std::uint32_t stream) const;

 private:
  using Clock = streams::Clock;
  struct Done {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
    std::string what;
    std::size_t operation = 0;
    simt::Footprint footprint;
  };
  bool is_default(std::uint32_t stream) const;
  Clock &before(std::uint32_t stream);
  Clock after(std::uint32_t stream);
  Clock after_all_of(std::uint8_t device);
  std::optional<Conflict> conflict(const Done &now, const Done &earlier) const;

  std::vector<plan::DeviceStream> streams_;
  std::function<std::string(std::uint64_t)> buffer_at_;
  std::uint32_t now_ = 0;
  Numbered last_;
  std::vector<std::uint64_t> counts_;  ///< operations so far, by stream
  std::vector<Clock> known_;           ///< before the next operation, by stream
  std::map<std::uint32_t, Clock> events_;
  Clock host_;
  std::map<std::uint8_t, Clock> copied_;  ///< by device: after the last copy that everything on it waits for
  std::deque<Done> open_;                 ///< those for which the host has not waited
  std::size_t open_ranges_ = 0;           ///< of their footprints
};

/// The bytes from `begin`, of `rows` rows.
std::vector<simt::AddressRange> ranges_of(std::uint64_t begin, std::uint64_t width, std::uint64_t rows,
                                          std::uint64_t pitch);

}  // namespace warpgrade::run
