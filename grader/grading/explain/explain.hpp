// Why a kernel is slow, line by line: turns counters and one request of each access into figures, a rank and
// advice in the terms of a course. Takes what the simulator counted; returns plain data for reports; knows
// neither courses, nor files, nor how anything looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/counters.hpp"
#include "counters/sample.hpp"

namespace warpgrade::explain {

/// The problem of an access, by the usual name of its remedy.
enum class Pattern : std::uint8_t {
  coalescing,      ///< the lanes of a warp touch more sectors than their bytes need
  alignment,       ///< neighbours, but starting within a sector
  corner_turning,  ///< coalescing through shared memory, for a load whose other order is needed
  tiling,          ///< the same sectors are loaded again and again
  padding,         ///< the lanes of a warp access the same banks of shared memory
  coarsening,      ///< every product fetches its own factors
  local_memory,    ///< an array or spilled registers in local memory
  divergence,      ///< lanes of a warp wait for each other
  atomics,         ///< atomic operations wait in line
};
std::string_view name_of(Pattern);  ///< "corner_turning"

struct Advice {
  Pattern pattern = Pattern::coalescing;
  std::string sentence;  ///< what happens, with its figures, and how to change it
  bool operator==(const Advice &) const = default;
};

/// Accesses of a line to one buffer, in one direction and width.
struct Access {
  simt::AccessKey key;
  simt::AccessCounters counts;
  std::optional<simt::LaneSample> sample;
  std::uint64_t moved_bytes = 0;   ///< of sectors and wavefronts
  std::uint64_t wasted_bytes = 0;  ///< those that the same request could avoid
  bool operator==(const Access &) const = default;
};

/// A source line. Traffic is in bytes that pass the first-level cache: 32 per sector, 128 per wavefront.
struct Line {
  simt::SourceLine at;
  simt::LineCounters counts;
  double share = 0;   ///< of all the launch's traffic
  double wasted = 0;  ///< of all the launch's traffic: what this line could avoid
  std::vector<Access> accesses;
  std::vector<Advice> advice;
  bool operator==(const Line &) const = default;
};

/// A product on tensor cores at a line.
struct Product {
  simt::ProductKey key;
  simt::ProductCounters counts;
  bool operator==(const Product &) const = default;
};

struct Explanation {
  std::vector<Line> lines;               ///< worst first: by waste, then by traffic
  std::vector<Product> products;         ///< most operations first
  std::vector<simt::LaneSample> copies;  ///< asynchronous ones to shared memory that were sampled, by line
  bool operator==(const Explanation &) const = default;
};

/// An array that the source declares in shared memory.
struct SharedArray {
  std::string name;
  std::uint32_t row_bytes = 0;  ///< from one row to the next: its last dimension
  std::uint64_t bytes = 0;
  bool operator==(const SharedArray &) const = default;
};

/// What advice has to respect.
struct Bounds {
  bool may_use_shared = true;              ///< the step allows shared memory
  std::uint64_t shared_room = UINT64_MAX;  ///< bytes by which a block's static arrays may grow
  std::vector<SharedArray> arrays = {};    ///< those whose rows are known
};

/// counters             of all launches of one call
/// samples              as LaunchResult::samples
/// outputs_per_thread   results over threads; decides whether more work a thread is the next step
Explanation explain(const simt::Counters &counters, const std::vector<simt::LaneSample> &samples,
                    double outputs_per_thread, const Bounds & = {});

// What to draw of a line, or of all lines where `at` is null. Null or nothing if there is none.

/// The access with the most bank conflicts, or without any, the most wavefronts.
const Access *shared_access(const Explanation &, const simt::SourceLine *at = nullptr);
const Product *hottest_product(const Explanation &, const simt::SourceLine *at = nullptr);
const simt::LaneSample *copied_tile(const Explanation &, const simt::SourceLine *at = nullptr);

}  // namespace warpgrade::explain
