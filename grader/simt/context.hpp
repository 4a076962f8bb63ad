// What handlers see while a warp runs. Plain data only: this header is compiled for several instruction sets,
// and no inline function of the standard library may be emitted there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/program.hpp"

namespace warpgrade::simt {

constexpr std::uint32_t full_mask = 0xFFFF'FFFF;

/// Registers and memory of a block hold this before anybody has set them: NaN, and -1.
constexpr int unset_byte = 0xFF;

/// A word (or smaller access) that some lanes of a pattern touch: for the checks of memory.
struct PatternWord {
  std::uint32_t word = 0;  ///< offset from the lowest address, in units of 4 bytes or of a smaller access
  std::uint8_t lane = 0;
  std::uint8_t other = 0;  ///< another lane, if there are more than one
  bool many = false;
};

/// How the lanes' addresses lie to each other, and what a request of that kind costs. Patterns repeat: costs
/// depend on differences between lanes (and on the position within a sector), so they are computed once.
/// Instructions of a basic block whose addresses differ by something uniform have one pattern: see
/// patterns.cpp.
struct Pattern {
  enum class Shape : std::uint8_t { general, uniform, consecutive };
  alignas(64) std::uint64_t delta[32];         ///< address minus that of the first active lane
  alignas(64) std::uint32_t narrow_delta[32];  ///< the same, of 32-bit addresses
  alignas(64) std::uint32_t offset[32];        ///< address minus the lowest address
  std::uint32_t mask;                          ///< active lanes of the pattern; 0: none yet
  Shape shape;
  // with all lanes active: lane i + 16 has the address of lane i; the lanes of each half have one address
  bool halves, uniform_halves;
  /// How the lanes' values are fetched.
  enum class Fetch : std::uint8_t { by_lane, uniform, consecutive, gather };
  Fetch fetch;
  bool contiguous;           ///< the lanes ask for all bytes from the lowest to the highest
  std::uint8_t seen_shift;   ///< if not: log2 of the units of SiteState::seen
  bool duplicates;           ///< two lanes touch one word
  std::uint32_t low_bits;    ///< OR of all offsets
  std::uint64_t min_delta;   ///< lowest address = first lane's + min_delta (wraps)
  std::uint64_t span;        ///< highest byte + 1 - lowest
  std::uint32_t bytes;       ///< asked for by all active lanes
  std::uint32_t used_bytes;  ///< distinct ones
  std::uint32_t wavefronts, conflicts;
  std::uint32_t compiled_wavefronts, compiled_conflicts;  ///< after ptxas has merged neighbours
  std::uint32_t words;                                    ///< PatternWords in use
  PatternWord word[128];
};

/// A read of shared memory that is not in the readers' cells yet.
struct PendingRead {
  std::uint64_t me;       ///< the cell of lane 0
  std::uint32_t low;      ///< lowest offset
  std::uint32_t pattern;  ///< or scattered_read | where in SharedRange::words its words begin
};
constexpr std::uint32_t scattered_read = 0x8000'0000;

/// What happened to a shared variable since the last barrier, so that most accesses need no look at its
/// cells.
struct SharedRange {
  std::uint64_t begin, end;                                        ///< offsets
  std::uint64_t written_begin, written_end, read_begin, read_end;  ///< around all accesses; begin > end: none
  std::uint64_t stored;       ///< words stored in this block, the same one perhaps several times
  bool initialized;           ///< all of it was written in this block, or that is not checked
  std::uint32_t reads, room;  ///< in `log`
  PendingRead *log;
  PatternWord *words;  ///< of the reads without a pattern, one after the other
  std::uint32_t words_used, words_room;
};

/// What the requests of an instruction cost that were counted one by one; see hot/scattered.hpp.
struct ScatteredUses {
  std::uint64_t requests, bytes;
  std::uint64_t cost;                                          ///< sectors or wavefronts
  std::uint64_t used_bytes, ideal_sectors;                     ///< global memory
  std::uint64_t conflicts, compiled_cost, compiled_conflicts;  ///< shared memory
};

/// A memory instruction: where it hit last, and how often.
struct SiteState {
  // the range that the last access hit
  std::uint64_t begin, end;
  /// First lane's address row + shift is the lowest address - begin. Below reach, all lanes are inside,
  /// aligned if the lowest is, and nothing about the range or the pattern has changed.
  std::uint64_t shift, reach;
  std::byte *host;  ///< of begin
  bool careful;     ///< global memory: there are cells or a shadow of what is written
  /// Cells of global memory at begin; null: not watched.
  std::uint64_t *watch_writers, *watch_readers, *watch_earlier;
  std::uint64_t *watch_strong, *watch_strong_readers;  ///< null: no atomic or strong access so far
  std::uint8_t *written;  ///< per byte from begin: 1 once written; null: everything is, or nobody looks
  SharedRange *range;     ///< of a shared variable
  // what its pattern was used for; see Tally
  const void *buffer;          ///< the allocation or shared variable around `begin`
  const std::byte *sectors;    ///< bit i: sector i of the buffer is marked as touched
  std::uint64_t sector_begin;  ///< where sector 0 begins
  std::uint64_t *seen;  ///< for patterns that are not contiguous: bit i: with the lowest address in unit i,
                        ///< all sectors are marked
  std::uint64_t uses[32];  ///< requests, by (lowest address & 31); shared: all in the first
  // of requests without a pattern
  std::uint64_t *sector_bits;          ///< as `sectors`
  std::uint64_t seen_begin, seen_end;  ///< addresses that sector_bits is known to have in use
  ScatteredUses scattered;
  std::uint32_t strays, since_learned;  ///< see goes_scattered
};

/// Shared memory's shadow: per word (or byte) who wrote and who read it last.
/// Cell: time << 32 | a flag << 31 | site << 12 | two flags << 10 | thread. Time grows at every barrier and
/// warp sync.
constexpr std::uint64_t cell_thread = 0x3FF, cell_warp = 0x3E0, cell_sites = 0x7FFFF;
constexpr std::uint64_t reader_many_lanes = 0x400, reader_many_warps = 0x800;
constexpr std::uint64_t writer_atomic = 0x400, writer_pending = 0x800;
constexpr std::uint64_t reader_other_blocks = 0x8000'0000;  ///< global memory: an earlier block has read it
/// Shared memory, since the barrier: beside plain reads there were strong ones; several warps have written by
/// strong accesses.
constexpr std::uint64_t reader_mixed = 0x8000'0000, writer_many_warps = 0x8000'0000;

class BlockRun;

struct Context {
  const std::byte *base[2];             ///< rows of the warp; uniform rows, one byte lower: see Ref
  std::byte *rows;                      ///< base[0], writable
  std::uint32_t mask;                   ///< active lanes
  std::uint32_t live;                   ///< lanes that have not exited
  alignas(64) std::uint32_t lanes[32];  ///< all ones in active lanes
  const Op *end;                        ///< of the basic block, for Program::loop
  SiteState *sites;
  Pattern *patterns;
  Pattern *scattered;                ///< of the request that is made now, if it has none of its own
  std::byte *shared;                 ///< shared memory, offset 0
  std::uint64_t *writers, *readers;  ///< cells; null when nothing is checked
  std::uint64_t *earlier_readers;    ///< of another thread than the reader's cell names
  std::uint64_t block_cell;          ///< cells below were written before this block
  std::uint64_t epoch_cell;          ///< cells below are ordered by a block barrier
  std::uint64_t warp_cell;           ///< cells below are ordered by a warp sync, within the warp
  std::uint64_t now_cell;            ///< time << 32 | warp << 5
  const std::uint32_t *seen;         ///< Seen::before of the warp; null: nothing was heard since the barrier
  std::uint64_t read_hazards, write_hazards;  ///< differences between cells that matter
  std::uint64_t *guard_lost;                  ///< by Op::slot: lanes that a guard switched off
  std::uint64_t block_start;                  ///< cells of global memory below are other blocks'
  std::uint32_t shared_shift, global_shift;   ///< log2 of the bytes of a cell
  std::uint32_t warp;                         ///< index in the block
  std::uint32_t scratch;                      ///< Ref of a row for masked execution
  std::uint32_t carry[32];                    ///< of add.cc and friends
  BlockRun *run;                              ///< everything that is not hot
};

// Not hot, compiled once. They throw Fault for what a kernel must not do.
/// A memory instruction in full generality: any space, mask, alignment of lanes; checks, counts, moves the
/// data.
void access_slowly(const Op &, Context &);
void atomic_access(const Op &, Context &);
void copy_async(const Op &, Context &);
/// Recomputes a pattern from 32 addresses.
void learn_pattern(const Op &, Context &, const std::uint64_t *addresses);
/// Fills in which words the lanes of the pattern touch.
void learn_words(Pattern &, const Site &site);
/// Sectors of the pattern where lowest address & 31 == phase.
std::uint32_t count_sectors(const Pattern &, const Site &site, std::uint32_t phase);
/// Marks the sectors of the pattern at `low` as touched.
void see_sectors(SiteState &state, Context &, std::uint64_t low);
/// Says that the buffer's sectors around [low, high) are in use.
void widen_sectors(SiteState &state, Context &, std::uint64_t low, std::uint64_t high);
/// Whether an access whose lanes do not lie as in its pattern is better not learned: they lie differently
/// each time.
bool goes_scattered(const Op &, Context &);
/// Counts the wavefronts of a scattered request to shared memory, of any width.
void count_scattered_phases(const Op &, Context &, std::uint64_t low);
/// Enters a scattered read in the log.
void note_scattered_read(Context &, SharedRange &, std::uint64_t me, std::uint64_t low);
/// Enters the log of reads into the readers' cells.
void flush_reads(Context &, SharedRange &);
/// SharedMemory::make_room
void make_room(Context &, SharedRange &);
/// Looks whether all of the variable was written in this block.
void look_for_holes(Context &, SharedRange &);
/// Looks for one live, fully initialised allocation (or shared variable) around the bytes; updates begin,
/// end, host.
bool find_range(SiteState &state, const Site &site, Context &, std::uint64_t low, std::uint64_t high);
const Site &site_of(const Op &, Context &);

/// Runs op.guarded in the lanes in which its guard holds.
void run_guarded(const Op &, Context &);
void set_mask(Context &, std::uint32_t mask);

// Masked forms of handlers that know no masks: run into a scratch row, then blend.
void masked32(const Op &, Context &);
void masked64(const Op &, Context &);
void masked_predicate(const Op &, Context &);

}  // namespace warpgrade::simt
