// Lane samples: see sample.hpp. Internal to simt.
#pragma once

#include <memory>
#include <vector>

#include "counters/sample.hpp"
#include "decode/program.hpp"

namespace warpgrade::simt {

/// The program with loads, stores and asynchronous copies that keep what Options::sample_lanes and
/// Options::trace request in BlockRun::samples and BlockRun::trace.
std::shared_ptr<const Program> with_samples(const Program &);

/// For each instruction, the sample with the most lanes, of the lowest block; by line.
std::vector<LaneSample> gather_samples(const std::vector<const std::vector<LaneSample> *> &workers,
                                       Dim3 grid);

}  // namespace warpgrade::simt
