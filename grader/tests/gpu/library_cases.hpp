// What a library's routine computes, compared with the problem that it is timed beside.
#pragma once

#include <string>
#include <vector>

#include "gpu/referee.hpp"

namespace warpgrade::gpu {

/// A problem and a case of it. `seed` draws the inputs.
struct LibraryCase {
  std::string problem, size;
  std::uint64_t seed = 7;
};

/// Small and awkward sizes of every routine but products.
std::vector<LibraryCase> library_cases();

/// Runs the routine once. Returns "" if what it left is what the problem asks for, else a sentence.
/// time  of that run; may be null
std::string difference(Referee &referee, const LibraryCase &at, LibraryTime *time = nullptr);

}  // namespace warpgrade::gpu
