// The figures of a GPU that predictions use, from microbenchmarks: which are run, and what their times say.
// Pure, but for the function that runs one.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gpu/probe.hpp"

namespace warpgrade::gpu {

/// One figure under its name in course/gpu_figures.inc.
struct Figure {
  std::string key;
  double value = 0;
  std::string how;       ///< "cycles: a chain of dependent FFMAs in one thread"
  double spread = 0;     ///< of the repeats: between the quartiles, over the median
  double clock_mhz = 0;  ///< of the multiprocessors meanwhile; 0: the loop was too short for the GPU's timer
};

/// What costs `steps` steps, from times of several lengths: the slope of the least-squares line.
/// x, y  of the same length, at least two; NaN if all x are equal
double slope(const std::vector<double> &x, const std::vector<double> &y);

using RunProbe = std::function<ProbeTimes(const Probe &)>;

/// Runs all microbenchmarks that this GPU can run, or only those with these keys, and gives one figure each.
/// Throws what `run` throws. progress  is called before each with the key and the text of the figure
std::vector<Figure> measure_figures(const DeviceInfo &, const RunProbe &run,
                                    const std::function<void(const std::string &)> &progress,
                                    const std::set<std::string> &only = {});

/// Sentences about figures that should not be believed at once: those whose repeats differ.
std::vector<std::string> doubts(const std::vector<Figure> &);

}  // namespace warpgrade::gpu
