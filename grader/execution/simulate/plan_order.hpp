// What orders the work of a plan on several devices: the rules of streams/order.hpp, with the streams, events and numbers
// of the plan, and findings in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/diagnostic.hpp"
#include "plan/plan.hpp"
#include "streams/kept.hpp"
#include "streams/order.hpp"

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

  void record(std::uint32_t event) { order_.record(now_, event); }
  void wait(std::uint32_t event) { order_.wait(now_, event); }
  void host_waits(const plan::HostWaits &);
  /// For everything: between two calls of the launcher.
  void host_waits_for_all();
  void use(std::uint32_t stream) { now_ = stream; }
  /// A copy from one device to another begins and ends.
  void begin_copy_between(int to, int from) { order_.begin_copy_between(now_, to, from); }
  void end_copy_between(int to, int from) { order_.end_copy_between(now_, to, from); }
  std::uint32_t stream() const { return now_; }

  /// An operation of the stream in use. what: "tile(float*, int)", "a copy"; operation: its number in the plan; sources:
  /// the lines of its footprint. Returns the first conflict with an earlier operation that is not ordered before it.
  std::optional<Conflict> access(const std::string &what, std::size_t operation, simt::Footprint,
                                 std::vector<simt::AccessSource> sources = {});
  /// The last of these.
  const streams::Numbered &last() const { return last_; }
  std::string name_of(std::uint64_t stream) const;

 private:
  Conflict conflict(const streams::Meeting &, const streams::Operation &now,
                    const streams::Operation &earlier) const;

  std::vector<plan::DeviceStream> streams_;
  std::function<std::string(std::uint64_t)> buffer_at_;
  std::uint32_t now_ = 0;
  streams::Numbered last_;
  streams::Order order_;
  streams::Kept open_;
};

}  // namespace warpgrade::run
