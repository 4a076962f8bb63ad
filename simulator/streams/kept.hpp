// The bytes of operations that may still be in progress, compared with those of later ones: the simulator does all work in
// the order of the calls, so a missing order between streams never shows in results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "counters/footprint.hpp"
#include "machine/device.hpp"
#include "streams/order.hpp"

namespace warpgrade::streams {

inline constexpr simt::Access all_accesses[] = {simt::Access::read, simt::Access::write,
                                                simt::Access::strong_read, simt::Access::strong_write};
inline bool writes(simt::Access access) {
  return access == simt::Access::write || access == simt::Access::strong_write;
}

struct Operation : Numbered {
  std::size_t place = 0;  ///< the caller's: a node of a graph, the number in a plan
  std::string what;       ///< "add(int*)", "cudaMemcpyAsync"
  simt::Footprint footprint;
  std::vector<simt::AccessSource> sources = {};  ///< the lines of its ranges
  bool meets_host = true;                        ///< the host must not touch its bytes before it has waited
  bool scoped = false;                           ///< none of its atomics can tell the host anything

  const simt::AccessSource *source_of(const simt::AddressRange &) const;  ///< null: not known
  bool has_system_scope(const simt::AddressRange &) const;
  const std::vector<simt::AddressRange> &ranges(simt::Access access) const {
    return footprint[static_cast<std::size_t>(access)];
  }
};

/// Accesses of two operations to one byte.
struct Meeting {
  simt::Access mine = simt::Access::read, other = simt::Access::read;
  simt::AddressRange here, there;
  std::uint64_t at() const { return std::max(here.begin, there.begin); }
  /// Both are strong, and one has another scope than the system.
  bool is_of_scope() const;
};

/// What is wrong between two operations that nothing orders. On two devices, strong accesses need the scope of the
/// system; and a word that one kernel stores and the later one loads with that scope tells it that all is done.
std::vector<Meeting> meetings(const Operation &now, const Operation &earlier, bool two_devices);

bool overlap(const std::vector<simt::AddressRange> &, const std::vector<simt::AddressRange> &);
/// Rows of `width` bytes, `pitch` bytes apart, in slices; rows without a gap between them are one range.
std::vector<simt::AddressRange> ranges_of(std::uint64_t begin, std::uint64_t width, std::uint64_t rows,
                                          std::uint64_t pitch, std::uint64_t slices = 1,
                                          std::uint64_t slice = 0);

/// Operations for which the host has not waited. The oldest of a stream are forgotten, so that a program that never waits
/// needs no more memory than this; a collective among many ranks has many operations, and few in each stream.
class Kept {
 public:
  void add(Operation);
  template <class Ended>
  void erase_if(const Ended &ended) {
    std::erase_if(all_, [&](const Operation &one) {
      if (!ended(one)) return false;
      leave(one);
      return true;
    });
  }
  void erase_ended(const Clock &clock) {
    erase_if([&](const Operation &one) { return one.ended_by(clock); });
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  static std::size_t ranges_of(const Operation &);
  void forget(std::deque<Operation>::iterator);
  /// It no longer counts.
  void leave(const Operation &);
  std::deque<Operation> all_;
  std::map<std::uint64_t, std::size_t> of_stream_;  ///< how many of them are of each stream
  std::size_t ranges_ = 0;
};

}  // namespace warpgrade::streams
