// Why a kernel is slow, line by line: counters and one request of each access become figures, a rank and
// advice in the terms of a course. Takes what the simulator counted; gives plain data for reports; knows no
// courses, no files, and how nothing looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/counters.hpp"
#include "simt/sample.hpp"

namespace warpgrade::explain {

/// What is the matter with an access, as courses call its cure.
enum class Pattern : std::uint8_t {
  coalescing,      ///< the lanes of a warp touch more sectors than their bytes need
  alignment,       ///< neighbours, but beginning within a sector
  corner_turning,  ///< coalescing, of a load whose other order is needed: by way of shared memory
  tiling,          ///< the same sectors are loaded again and again
  padding,         ///< the lanes of a warp meet in the same banks of shared memory
  coarsening,      ///< every product fetches its own factors
  local_memory,    ///< an array or spilled registers in local memory
  divergence,      ///< lanes of a warp wait for each other
  atomics,         ///< atomic operations stand in line
};
std::string_view name_of(Pattern);  ///< "corner_turning"

struct Advice {
  Pattern pattern = Pattern::coalescing;
  std::string sentence;  ///< what happens, with its figures, and what to do about it
  bool operator==(const Advice &) const = default;
};

/// Accesses of a line to one buffer, in one direction and width.
struct Access {
  simt::AccessKey key;
  simt::AccessCounters counts;
  std::optional<simt::LaneSample> sample;
  std::uint64_t moved_bytes = 0;   ///< of sectors and wavefronts
  std::uint64_t wasted_bytes = 0;  ///< of those that the same request could do without
  bool operator==(const Access &) const = default;
};

/// A source line. Traffic is in bytes that pass the first-level cache: 32 a sector, 128 a wavefront.
struct Line {
  simt::SourceLine at;
  simt::LineCounters counts;
  double share = 0;   ///< of all the launch's traffic
  double wasted = 0;  ///< of all the launch's traffic: what this line could do without
  std::vector<Access> accesses;
  std::vector<Advice> advice;
  bool operator==(const Line &) const = default;
};

struct Explanation {
  std::vector<Line> lines;  ///< worst first: by what they waste, then by what they move
  bool operator==(const Explanation &) const = default;
};

/// counters             of all launches of one call
/// samples              as LaunchResult::samples
/// outputs_per_thread   results over threads; decides whether more work a thread is the next step
Explanation explain(const simt::Counters &counters, const std::vector<simt::LaneSample> &samples,
                    double outputs_per_thread);

}  // namespace warpgrade::explain
