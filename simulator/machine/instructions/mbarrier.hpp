// An mbarrier object as one lane uses it. Internal to simt.
//
// Eight bytes of shared memory hold the number of the phase, how many arrivals a phase needs, and how many
// are still missing. The bytes that bulk copies have yet to transfer are counted separately
// (BlockRun::transactions): a phase ends when every thread has arrived and the copies in flight transfer as
// many bytes as were announced.
#pragma once

#include "decode/handlers.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {

struct MbarrierState {
  static constexpr std::uint32_t most_arrivals = (1u << 20) - 1;
  std::uint32_t phase = 0, expected = 0, missing = 0;
  static MbarrierState of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 40), static_cast<std::uint32_t>(word >> 20) & most_arrivals,
            static_cast<std::uint32_t>(word) & most_arrivals};
  }
  std::uint64_t word() const { return std::uint64_t{phase} << 40 | std::uint64_t{expected} << 20 | missing; }
};

/// Every member function throws Fault with a diagnostic for a use that the hardware does not define.
class Mbarrier {
 public:
  static constexpr std::int64_t most_bytes = (1 << 20) - 1;

  /// plain: the access is not atomic, as init and inval are.
  Mbarrier(const Op &, Context &, std::uint32_t lane, std::uint64_t address, bool plain);
  void initialise(std::uint32_t count);
  void invalidate();
  void arrive(std::uint32_t count, bool drop);
  /// Adds what the arriving lanes have done to the phase. See BlockRun::note_arrival.
  void tell(const Released &, std::uint32_t lanes, bool waits) const;
  /// The phase waits for this many more bytes.
  void expect(std::uint32_t bytes);
  /// A copy that was started transfers this many bytes.
  void bring(std::uint64_t bytes);
  std::uint32_t offset() const { return static_cast<std::uint32_t>(target_.offset); }
  /// The block in whose shared memory it is.
  BlockRun &owner() const { return target_.owner ? *target_.owner : run_; }
  bool is_remote() const { return target_.owner != nullptr; }

  MbarrierState state;
  [[noreturn]] void fail(std::string message) const;

 private:
  void store() const;
  void settle();
  void finish_if_due();

  BlockRun &run_;
  LaneAccess access_;
  Target target_;
};

}  // namespace warpgrade::simt
