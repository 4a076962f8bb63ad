// Which elements of which buffer a case gets wrong, and the blocks that touch them: what the picture of a property that
// fails shows. From the requests of all blocks, as the simulator traces them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/sample.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "run/run.hpp"
#include "score/step_record.hpp"
#include "simulate/simulator.hpp"

namespace warpgrade::grading {

struct RegionBuffer {
  std::string name;
  std::uint64_t rows = 1, columns = 1, element_bytes = 4;
  bool output = false;
  std::uint64_t elements() const { return rows * columns; }
};

/// bounds: elements outside a buffer; written: those of an output that nobody writes, or that are written more than once;
/// races: those of a buffer in global memory that two threads touch without a barrier between them, one of which writes.
/// Nothing for other properties, and where nothing is wrong. `all`: requests of any blocks.
std::optional<RegionRecord> region_in(const std::string &property,
                                      const std::vector<simt::TracedRequest> &all,
                                      const std::vector<RegionBuffer> &);

/// Runs the case once for each of its blocks. Nothing if there are too many, or the simulator says too little.
std::optional<RegionRecord> find_region(const std::string &property, run::Simulator &,
                                        const plan::LaunchPlan &, const problem::Problem &,
                                        const problem::Case &, std::uint64_t seed, run::SimulateOptions);

}  // namespace warpgrade::grading
