// A time without a GPU: what the simulator counted of a few blocks, what the compiler says about the kernel
// and what is known about a GPU give a time, an interval, the limiting resource and shares of source lines.
// docs/prediction.md describes the model, its fit and its errors. A prediction gives no points.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "predict/machine.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"
#include "run/run.hpp"

namespace warpgrade::predict {

/// Changes whenever the same kernel may get another time.
inline constexpr const char *model_version = "4";

/// What is asked about: a call of a launcher at one size.
struct Call {
  const ptx::Module *module = nullptr;
  std::vector<run::SampledLaunch> launches;
  std::vector<simt::LaneSample> samples;
  std::map<std::string, std::uint64_t> buffer_bytes;     ///< by name
  std::optional<int> registers;                          ///< per thread; none: estimated
  std::uint64_t spill_bytes = 0;                         ///< per thread, stores and loads
  std::map<std::string, ptx::MachineCode> machine_code;  ///< by kernel; empty without ptxas
  std::vector<std::uint64_t> moves = {};  ///< bytes of each memset and copy besides the launches
};

enum class Resource : std::uint8_t { issue, arithmetic, load_store, l2, dram, latency, launch };
inline constexpr std::size_t resources = 7;
/// "shared memory and L1 wavefronts"
std::string_view name_of(Resource);

/// One launch. Cycles are those of a multiprocessor and, but for `latency`, of an average block.
struct LaunchPrediction {
  std::string kernel;  ///< mangled
  double issue = 0, arithmetic = 0, load_store = 0;
  double l2_bytes = 0, dram_bytes = 0;  ///< of the whole grid
  double latency = 0;                   ///< of a warp alone, first to last instruction
  double l1_hits = 0;                   ///< share of the global loads' sectors
  double local = 0;            ///< share of the instructions that access local memory, spills included
  int resident = 0;            ///< blocks on a multiprocessor
  std::string resident_limit;  ///< "registers"
  double waves = 0;            ///< the grid over all resident blocks
  double seconds = 0;
  Resource limit = Resource::issue;
};

struct LineShare {
  simt::SourceLine at;
  double share = 0;  ///< of the limiting resource; 0 to 1
};

/// What would be predicted if the accesses of some lines wasted nothing: no sectors beyond those that a request's
/// bytes need, no bank conflicts. Only whatif/ makes them.
struct Promise {
  std::vector<simt::SourceLine> lines;  ///< one; or all that have a promise of their own
  std::string cure;                     ///< "coalesced", "without bank conflicts"
  double seconds = 0, low = 0, high = 0;
};

struct Prediction {
  double seconds = 0, low = 0,
         high = 0;  ///< low and high: an interval that held about nine of ten measured times
  Resource limit = Resource::issue;
  std::vector<LaunchPrediction> launches;
  std::vector<LineShare> lines;        ///< greatest share first
  std::vector<Promise> promises = {};  ///< the worst line first, all of them together last
  std::vector<std::string> caveats;    ///< sentences: why the interval is wider
  std::string why_not;                 ///< set if nothing can be predicted; the other fields are then empty
};

Prediction predict(const Call &, const Machine &);

}  // namespace warpgrade::predict
