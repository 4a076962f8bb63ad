// The state that handlers see while a warp runs. Plain data only: this header is compiled for several
// instruction sets, and no inline function of the standard library may be emitted there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decode/program.hpp"

namespace warpgrade::simt {

constexpr std::uint32_t full_mask = 0xFFFF'FFFF;

/// Unset registers and memory of a block hold this: NaN, and -1.
constexpr int unset_byte = 0xFF;

/// A word (or smaller access) that some lanes of a pattern access: for the checks of memory.
struct PatternWord {
  std::uint32_t word = 0;  ///< offset from the lowest address, in units of 4 bytes or of a smaller access
  std::uint8_t lane = 0;
  std::uint8_t other = 0;  ///< another lane, if there are more than one
  bool many = false;
};

/// Differences between the lanes' addresses, and the cost of such a request. Patterns repeat: costs
/// depend on differences between lanes (and on the position within a sector), so they are computed once.
/// Instructions of a basic block whose addresses differ by a uniform value share one pattern: see
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
  bool contiguous;           ///< the lanes access all bytes from the lowest to the highest
  std::uint8_t seen_shift;   ///< if not: log2 of the units of SiteState::seen
  bool duplicates;           ///< two lanes access one word
  std::uint32_t low_bits;    ///< OR of all offsets
  std::uint64_t min_delta;   ///< lowest address = first lane's + min_delta (wraps)
  std::uint64_t span;        ///< highest byte + 1 - lowest
  std::uint32_t bytes;       ///< accessed by all active lanes
  std::uint32_t used_bytes;  ///< distinct ones
  std::uint32_t wavefronts, conflicts;
  std::uint32_t compiled_wavefronts, compiled_conflicts;  ///< after ptxas has merged neighbours
  std::uint32_t words;                                    ///< PatternWords in use
  PatternWord word[128];
};

/// A read of shared memory that is not in the readers' shadow words yet.
struct PendingRead {
  std::uint64_t me;       ///< the cell of lane 0
  std::uint32_t low;      ///< lowest offset
  std::uint32_t pattern;  ///< or scattered_read | where in SharedRange::words its words begin
};
constexpr std::uint32_t scattered_read = 0x8000'0000;

/// What happened to a shared variable since the last barrier, so that most accesses need not check its
/// shadow words.
struct SharedRange {
  std::uint64_t begin, end;                                        ///< offsets
  std::uint64_t written_begin, written_end, read_begin, read_end;  ///< around all accesses; begin > end: none
  std::uint64_t stored;       ///< words stored in this block, the same one perhaps several times
  bool initialized;           ///< all of it was written in this block, or that is not checked
  std::uint32_t reads, room;  ///< in `log`
  PendingRead *log;
  PatternWord *words;  ///< of the reads without a pattern, in sequence
  std::uint32_t words_used, words_room;
};

/// The cost of an instruction's requests that were counted one by one; see hot/scattered.hpp.
struct ScatteredUses {
  std::uint64_t requests, bytes;
  std::uint64_t cost;                                          ///< sectors or wavefronts
  std::uint64_t used_bytes, ideal_sectors;                     ///< global memory
  std::uint64_t conflicts, compiled_cost, compiled_conflicts;  ///< shared memory
};

/// A memory instruction: the range that it accessed last, and how often.
struct SiteState {
  // the range of the last access
  std::uint64_t begin, end;
  /// First lane's address row + shift is the lowest address - begin. Below reach, all lanes are inside,
  /// aligned if the lowest is, and the range and the pattern are unchanged.
  std::uint64_t shift, reach;
  std::byte *host;  ///< of begin
  bool careful;     ///< global memory: it has shadow words, or bits of written bytes
  /// Shadow words of global memory at begin; null: not watched.
  std::uint64_t *watch_writers, *watch_readers, *watch_earlier;
  std::uint64_t *watch_strong, *watch_strong_readers;  ///< null: no atomic or strong access so far
  std::uint8_t *watch_touched;                         ///< Watched::touched
  std::uint8_t *written;  ///< per byte from begin: 1 once written; null: all are, or it is not checked
  SharedRange *range;     ///< of a shared variable
  // what its pattern was used for; see Tally
  const void *buffer;          ///< the allocation or shared variable around `begin`
  const std::byte *sectors;    ///< bit i: sector i of the buffer is marked as accessed
  std::uint64_t sector_begin;  ///< where sector 0 begins
  std::uint64_t *seen;  ///< for patterns that are not contiguous: bit i: with the lowest address in unit i,
                        ///< all sectors are marked
  std::uint64_t uses[32];  ///< requests, by (lowest address & 31); shared: all in the first
  // of requests without a pattern
  std::uint64_t *sector_bits;          ///< like `sectors`
  std::uint64_t seen_begin, seen_end;  ///< addresses known to be in use in sector_bits
  ScatteredUses scattered;
  std::uint32_t strays, since_learned;  ///< see goes_scattered
};

/// Shared memory's shadow: the last writer and readers of each word (or byte).
/// Shadow word: time << 32 | a flag << 31 | site << 12 | two flags << 10 | thread. Time grows at every barrier and
/// warp sync.
constexpr std::uint64_t cell_thread = 0x3FF, cell_warp = 0x3E0, cell_sites = 0x7FFFF;
constexpr std::uint64_t reader_many_lanes = 0x400, reader_many_warps = 0x800;
constexpr std::uint64_t writer_atomic = 0x400, writer_pending = 0x800;
constexpr std::uint64_t reader_other_blocks = 0x8000'0000;  ///< global memory: an earlier block has read it
/// Shared memory, since the barrier: beside plain reads there were strong ones; several warps have written by
/// strong accesses.
constexpr std::uint64_t reader_mixed = 0x8000'0000, writer_many_warps = 0x8000'0000;

/// Global memory's shadow words are cleared and searched by pieces of 1 << piece_shift.
constexpr std::uint32_t piece_shift = 6;

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
  Pattern *scattered;                ///< of the current request, if it has no pattern of its own
  std::byte *shared;                 ///< shared memory, offset 0
  std::uint64_t *writers, *readers;  ///< shadow words; null when nothing is checked
  std::uint64_t *earlier_readers;    ///< of a thread other than the one that `readers` names
  std::uint64_t block_cell;          ///< shadow words below were written before this block
  std::uint64_t epoch_cell;          ///< shadow words below are ordered by a block barrier
  std::uint64_t warp_cell;           ///< shadow words below are ordered by a warp sync, within the warp
  std::uint64_t now_cell;            ///< time << 32 | warp << 5
  const std::uint32_t *seen;         ///< Seen::before of the warp; null: nothing acquired since the barrier
  std::uint64_t read_hazards, write_hazards;  ///< differences between shadow words that matter
  std::uint64_t *guard_lost;                  ///< by Op::slot: lanes that a guard disabled
  std::uint64_t block_start;                  ///< shadow words of global memory below are other blocks'
  std::uint64_t
      known_cell;  ///< those below, 0 among them, happened before what any warp of the block does now
  std::uint32_t shared_shift, global_shift;  ///< log2 of the bytes per shadow word
  std::uint32_t warp;                        ///< index in the block
  std::uint32_t scratch;                     ///< Ref of a row for masked execution
  std::uint32_t carry[32];                   ///< of add.cc and friends
  BlockRun *run;                             ///< everything off the fast path
};

// Off the fast path, compiled once. They throw Fault for errors of the kernel.
/// A memory instruction in full generality: any space, mask, alignment of lanes; checks, counts, moves the
/// data.
void access_slowly(const Op &, Context &);
void atomic_access(const Op &, Context &);
void copy_async(const Op &, Context &);
/// Recomputes a pattern from 32 addresses.
void learn_pattern(const Op &, Context &, const std::uint64_t *addresses);
/// Fills in the words that the lanes of the pattern access.
void learn_words(Pattern &, const Site &site);
/// Sectors of the pattern where lowest address & 31 == phase.
std::uint32_t count_sectors(const Pattern &, const Site &site, std::uint32_t phase);
/// Marks the sectors of the pattern at `low` as accessed.
void see_sectors(SiteState &state, Context &, std::uint64_t low);
/// Extends the range of the buffer's sectors in use to [low, high).
void widen_sectors(SiteState &state, Context &, std::uint64_t low, std::uint64_t high);
/// Whether an access that deviates from its pattern should not get a new one, since its lanes deviate each
/// time.
bool goes_scattered(const Op &, Context &);
/// Counts the wavefronts of a scattered request to shared memory, of any width.
void count_scattered_phases(const Op &, Context &, std::uint64_t low);
/// Enters a scattered read in the log.
void note_scattered_read(Context &, SharedRange &, std::uint64_t me, std::uint64_t low);
/// Moves the log of reads to the readers' shadow words.
void flush_reads(Context &, SharedRange &);
/// SharedMemory::make_room
void make_room(Context &, SharedRange &);
/// Checks whether all of the variable was written in this block.
void look_for_holes(Context &, SharedRange &);
/// Finds one live, fully initialized allocation (or shared variable) around the bytes; updates begin,
/// end, host.
bool find_range(SiteState &state, const Site &site, Context &, std::uint64_t low, std::uint64_t high);
const Site &site_of(const Op &, Context &);

/// Runs op.guarded in the lanes in which its guard holds.
void run_guarded(const Op &, Context &);
void set_mask(Context &, std::uint32_t mask);

// Masked forms of handlers that ignore masks: run into a scratch row, then blend.
void masked32(const Op &, Context &);
void masked64(const Op &, Context &);
void masked_predicate(const Op &, Context &);

}  // namespace warpgrade::simt
