// Findings of the simulator about a launch: plain facts with both ends of a conflict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::simt {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3 &) const = default;
};

/// file: base name of the student's file, empty if unknown; line 0 if unknown.
using SourceLine = ptx::SourceLine;

enum class Code {
  out_of_bounds,
  misaligned,
  use_after_free,
  peer_access,  ///< memory of another device, whose access is not enabled
  barrier_divergence,
  deadlock,
  race,
  uninitialized_read,
  invalid_shuffle,
  launch_error,
  time_limit,
  unsupported,
  fragment_layout,  ///< warning: elements of one kind of wmma fragment in another
  trap,             ///< __trap() or a failed assert
  lock,             ///< warning: no data race, but a lock lacks a fence, or protects one side only
  scope,            ///< warning: the same for a fence that reaches no farther than its own block
  local_memory,     ///< info: arrays or registers that live in (slow) local memory
};
std::string_view name_of(Code);  ///< "out_of_bounds"
/// Two accesses that should have been ordered.
constexpr bool is_about_order(Code code) {
  return code == Code::race || code == Code::lock || code == Code::scope;
}

/// Advice against a race; none: the message says it, or nothing is known.
enum class Cure : std::uint8_t {
  none,
  atomic_update,      ///< threads read, change and store one word
  same_element,       ///< two threads compute one element: the index is wrong
  scatter,            ///< they write an element whose index they read from memory
  one_word,           ///< all threads write one word
  barrier,            ///< one thread of the block writes what another one reads
  barrier_or_atomic,  ///< the same, and one of the accesses is atomic
  syncwarp,           ///< lanes of one warp
  lock_fences,        ///< the lock around them lacks fences
  one_lock,           ///< each has a lock of its own, or only one has
  same_new_value,     ///< all writers store one value, readers ask for it
  look_before_swap,   ///< plain read, then a compare-and-swap
  look_ahead,         ///< plain read that decides whether there is an atomic
  between_blocks,     ///< one block writes what another one reads
  both_atomic,        ///< one of the accesses is atomic
};
std::string_view name_of(Cure);  ///< "atomic_update"

enum class Severity { info, warning, error };
std::string_view name_of(Severity);

/// One thread at one instruction.
struct Side {
  Dim3 thread{0, 0, 0}, block{0, 0, 0};
  SourceLine at;
};

struct Diagnostic {
  Code code = Code::launch_error;
  Severity severity = Severity::error;
  std::string kernel;  ///< demangled: "tile(float*, int)"
  Side here;
  std::optional<Side> other;        ///< the other end of a race, a divergent barrier, ...; for a
                                    ///< word that several threads have read, the last of them
  std::string message;              ///< one sentence, without kernel, file, thread and block
  std::string buffer;               ///< name of the allocation or shared variable, empty if there is none
  std::int64_t distance_bytes = 0;  ///< past the end (> 0) or before the start (< 0) of buffer
  bool consequence = false;         ///< followed a dropped bad access, and may result from it
  Cure cure = Cure::none;           ///< of a race
  std::uint32_t warps = 0;          ///< of a race in one block: those on either side, one bit each
  std::uint64_t count = 1;          ///< how often it was seen (same code and lines); a launch with thousands
                                    ///< of hazards is not watched to its end
};

/// "step2.cu:23: error: <message>, thread (0,0,0) of block (1,0,0) of tile(float*, int)", for logs and tests.
std::string to_text(const Diagnostic &);

}  // namespace warpgrade::simt
