// The findings of a launch: each pair of places once, in words; the rest are only counted. A broken kernel has
// millions of hazards, but few kinds of them. Internal to simt.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "counters/diagnostic.hpp"

namespace warpgrade::simt {

constexpr std::size_t max_findings = 64;  ///< described per launch and severity

/// A block with this many hazards is no longer watched, nor are later blocks, nor blocks far after the first
/// with any: further findings would add nothing. Decided by block numbers alone, so that the result does not
/// depend on which worker ran what.
constexpr std::uint32_t enough_errors = 4096, enough_warnings = 1 << 16;
constexpr std::uint64_t enough_blocks = 64;

/// The last blocks that are watched for races, for those that are warnings, and for reads of undefined
/// values.
struct Saturation {
  std::atomic<std::uint64_t> races{UINT64_MAX}, warnings{UINT64_MAX}, unset{UINT64_MAX};
};

/// Findings of one worker. It takes blocks in ascending order, so its first 64 kinds include all of the
/// launch's first 64 kinds that it meets.
class Findings {
 public:
  explicit Findings(Saturation &saturation) : saturation_(saturation) {}
  void begin_block(std::uint64_t block);

  /// Counts a finding that was described before; false: describe it and add() it with the same handle. The
  /// handle stands for code, severity and both places. warps: see Diagnostic
  bool count(std::uint64_t handle, Code, Severity, std::uint32_t warps = 0);
  void add(Diagnostic, std::uint64_t handle = 0);
  /// No more of these are needed: races, those that are warnings, reads of undefined values.
  bool enough_races() const { return races_ >= enough_errors; }
  bool enough_unset() const { return unset_ >= enough_errors; }
  bool enough_of_warnings() const { return warnings_ >= enough_warnings; }

  /// Diagnostics of all workers up to `last_block`, in the order of blocks.
  static std::vector<Diagnostic> gather(const std::vector<const Findings *> &, std::uint64_t last_block);

 private:
  using Key = std::tuple<Code, Severity, SourceLine, SourceLine, std::string>;
  struct Kind {
    Key key;
    Diagnostic diagnostic;
  };
  struct Record {
    std::uint64_t block;
    std::uint32_t kind;  ///< index in kinds_, or unlisted
    std::uint64_t count;
  };
  static constexpr std::uint32_t first_unlisted = UINT32_MAX - 255;  ///< plus a Code
  void record(std::uint32_t kind, std::uint64_t count);
  void spend(Code, Severity);
  bool dropped(const Record &) const;

  Saturation &saturation_;
  std::uint64_t block_ = 0;
  std::uint32_t races_ = 0, warnings_ = 0, unset_ = 0;
  std::vector<Kind> kinds_;
  std::size_t listed_[3] = {};
  std::map<Key, std::uint32_t> by_key_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_handle_;
  std::vector<Record> records_;
  std::map<std::uint32_t, std::size_t> present_;  // kind to record, of the present block
};

}  // namespace warpgrade::simt
