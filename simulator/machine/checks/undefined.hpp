// Undefined values. A register that a thread reads before it has written it, an element of a local array or of
// shared memory, what a shuffle takes from an absent lane: each holds whatever was there before, and what is
// computed from it is just as undefined. That is an error once it reaches memory, a condition, or an address:
// compilers themselves read such registers where the result does not matter, and correct kernels move words
// that they never use. Internal to simt.
//
// The decoder finds registers that may be read too early (row_layout.cpp). Most kernels have none, and run
// without any of this. In the others, and from the first time that a thread reads one of the other values, each
// register has a shadow bit for each of its bits: set if that is undefined.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "counters/diagnostic.hpp"
#include "decode/handlers.hpp"
#include "decode/passes.hpp"

namespace warpgrade::simt {

class BlockRun;
struct LaneAccess;
struct Target;

/// The effect of an operation on undefined operands.
struct Effect {
  Passes kind = Passes::nothing;
  bool local = false;   ///< load, store: may reach a local array
  bool shared = false;  ///< the same: shared memory
  bool parts = false;   ///< load: of an element in memory, some bytes may be unwritten
  bool simple = false;  ///< with defined operands, it only needs to run
  Width d = Width::none, widths[4] = {Width::none, Width::none, Width::none, Width::none};
  std::uint32_t result = 0, sources[4] = {};  ///< places in Undefined's rows; 0: always defined
  std::uint32_t element = 0, elements = 0;    ///< load, store: in Undefined's list of more places
  std::uint32_t more_results = 0;             ///< product: behind those in the list
};

/// The operations of a program, and where Undefined keeps the state of their operands.
struct Effects {
  explicit Effects(const Program &);
  std::vector<Effect> of;               ///< by operation
  std::vector<std::uint32_t> elements;  ///< places of the values of loads and stores
  std::vector<std::uint32_t> places;    ///< by Ref / 4; 0: always defined
  std::uint32_t count = 1;
  std::uint32_t place(Ref ref) const { return ref & 1 ? 0 : places[ref / 4]; }
};

/// The lane that a lane reads from in a shuffle (warp_ops.cpp).
std::uint32_t shuffle_lane(const Op &, const Context &, std::uint32_t lane);

/// Why no value of another lane arrives; see shuffle_lane().
enum class Absence : std::uint8_t { none, returned, not_in_block, elsewhere };
Absence absence_of(const Op &, const BlockRun &, std::uint32_t lane, std::uint32_t mask);

/// The bits of an element in memory that were never written.
struct Unwritten {
  std::uint64_t bits = 0;
  bool partly = false;  ///< other bytes of the access were written
};
/// An access to global memory of which no byte was written is reported where it is read, and counts as written.
Unwritten unwritten_part(const BlockRun &, const Site &, const Target &, std::uint64_t address,
                         std::uint32_t element);
/// Whether no byte of an access was written.
bool is_unwritten(const LaneAccess &, const Target &);

/// Lanes whose exchange or compare-and-swap found an unwritten word.
struct Replaced {
  std::uint32_t lanes = 0;
  std::uint32_t kept = 0;  ///< of these: the word is in shared memory, and the swap has not replaced it
  std::uint32_t elements[32] = {};
  std::uint64_t offsets[32] = {};  ///< in shared memory
  std::string name;
};

struct Allocation;
/// Whether a byte of memory that was never written may be the padding of a struct.
bool may_be_padding(const Allocation &, std::uint64_t at);

/// The origin of an undefined value other than a register or an element of a local array, as one
/// operation of one warp read it last.
struct UnsetSource {
  enum class Kind : std::uint8_t {
    partly,    ///< memory of which a part was written
    shared,    ///< shared memory
    replaced,  ///< what an exchange or a compare-and-swap found in memory
    lane,      ///< an absent lane
  };
  Kind kind = Kind::partly;
  std::int32_t location = 0;
  std::string name;              ///< of the memory
  std::uint32_t bytes = 0;       ///< of an access
  std::uint32_t lanes = 0;       ///< that read it
  std::uint32_t which[32] = {};  ///< by lane: the element, or the other lane
  Absence absence[32] = {};      ///< by lane
};

/// Follows undefined values through the warps of one block at a time.
class Undefined {
 public:
  explicit Undefined(BlockRun &);
  /// Thrown by an operation of a block that is not followed yet: before it has done anything, or after all.
  struct Found {
    const Op *op;
    bool done = false;
  };
  void begin_block();
  /// The registers of a function at its start, in the warp that runs.
  void begin_function(const UnsetRows &, std::uint32_t mask);
  /// Runs the operations of a basic block.
  void run(const Op *op, const Op *end, std::uint32_t mask);
  /// Notes it, or throws Fault with Options::stop_at_first, if undefined lanes decide a branch
  void look_at_condition(Ref condition, std::int32_t location, std::uint32_t mask);
  /// A register gets a value other than by an operation.
  void define(Ref ref, std::uint32_t mask);
  /// An exchange or a compare-and-swap found an unwritten word, in BlockRun::replaced().
  void take_replaced(const Op &);
  /// The undefined bits of a thread's local memory, where it was written.
  std::uint8_t *local_bits(std::uint32_t lane);
  /// Other threads write these bytes of shared memory by means that are not followed.
  void define_shared(std::uint64_t offset, std::uint32_t bytes);

 private:
  struct Results {
    std::uint64_t bits[32] = {};
  };
  enum class Sink : std::uint8_t { memory, condition, address };

  void step(const Op &, const Effect &, std::uint32_t mask, bool whole);
  void compute(const Op &, const Effect &, std::uint32_t mask, std::uint32_t unsure, bool whole);
  std::uint64_t combine(const Op &, const Effect &, std::uint32_t lane) const;
  void load(const Op &, const Effect &, std::uint32_t mask, bool whole);
  void store(const Op &, const Effect &, std::uint32_t mask, bool whole);
  void atomic(const Op &, const Effect &, std::uint32_t mask, bool whole);
  void check_address(const Op &, std::uint32_t place, std::uint32_t mask);
  // undefined_tensor.cpp
  void multiply_warpgroup(const Op &, const Effect &);
  void multiply(const Op &, const Effect &);
  void load_matrix(const Op &, const Effect &);
  void store_matrix(const Op &, const Effect &);
  void transpose(const Op &, const Effect &);
  void put(std::uint32_t place, Ref ref, Width width, std::uint32_t mask, const Results &,
           std::int32_t origin, std::uint32_t computed = 0);
  template <class Visit>
  void each_part(const Op &, std::uint32_t mask, const std::uint64_t (&addresses)[32], const Visit &) const;
  bool reads_parts(const Op &, const Effect &, std::uint32_t mask) const;
  void forget_written(const Op &, std::uint32_t mask, const Results (&undefined)[8]);
  void put_whole(std::uint32_t place, std::uint32_t mask, std::uint32_t undefined, std::int32_t origin);
  std::size_t index_of(std::uint32_t place) const {
    return static_cast<std::size_t>(now_ - lanes_.data()) + place;
  }
  std::uint64_t bits(std::uint32_t place, Ref ref, Width width, std::uint32_t lane) const;
  std::uint64_t bits(const Op &, const Effect &, int source, std::uint32_t lane) const;
  std::int32_t origin_of(const Op &, const Effect &, std::uint32_t mask) const;
  std::int32_t origin_at(std::uint32_t place, std::int32_t here) const;
  /// The origin of a value that one operation reads in one lane.
  std::int32_t read_by(const Op &, UnsetSource::Kind, std::uint32_t lane, std::uint32_t which, Absence,
                       const std::string *name);
  std::int32_t read_unset(const Op &, std::uint32_t lane, std::uint64_t offset);
  const UnsetSource *source(std::int32_t origin) const;
  std::int32_t location_of(std::int32_t origin) const;
  Diagnostic describe(Sink, std::int32_t origin, std::int32_t here, std::uint32_t lane) const;
  bool is_library_code(std::int32_t origin, std::int32_t here) const;
  void end_or_note(Sink, std::int32_t origin, std::int32_t here, std::uint32_t lane);
  void note(Sink, const Op &, std::int32_t origin, std::uint32_t lane);
  void note(Sink, std::uint32_t place, std::int32_t here, std::int32_t origin, std::uint32_t lane);
  std::int32_t location_of(const Op &) const;
  std::uint8_t *area_bits(std::uint32_t area, std::uint32_t lane);

  BlockRun &run_;
  Context &context_;
  Effects effects_;
  std::vector<std::uint32_t> lanes_;  // by warp and place: lanes with undefined bits
  std::vector<std::uint32_t> whole_;  // by warp and place: those of lanes_ that have all bits undefined
  std::vector<std::uint32_t>
      computed_;  // by warp and place: those of lanes_ whose value is computed, not copied
  std::vector<std::int32_t> origins_;  // by warp and place: where the undefined value was first read
  std::vector<std::byte> bits_;        // rows of the warps: which bits, in those lanes
  std::vector<std::uint8_t> local_;    // by thread: undefined bits of local memory that was written
  std::vector<std::uint8_t> areas_;    // by warp: of the parameters of calls
  std::vector<std::uint8_t> shared_;   // undefined bits of shared memory, once there are any in this block
  std::vector<UnsetSource> sources_;   // of this block; an origin below -1 is one of these
  std::map<std::uint64_t, std::int32_t> known_sources_;   // by operation, warp and kind
  bool has_holes_ = false;                                // in global memory
  std::map<std::uint64_t, std::int32_t> shared_origins_;  // by offset: where the value was first read
  std::uint32_t *now_ = nullptr;                          // lanes_ of the warp that runs
};

}  // namespace warpgrade::simt
