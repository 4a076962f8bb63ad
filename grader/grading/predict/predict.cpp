#include "predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "predict/launch.hpp"
#include "predict/waits.hpp"

namespace warpgrade::predict {

namespace {

/// Of kernels that the constants were not fitted on, nine of ten times lay within this share.
constexpr double usual_interval = 0.25;
/// Accesses to local memory, and atomic operations, for each instruction, that make a prediction doubtful.
constexpr double least_local = 0.01, least_atomic = 0.02;
/// Seconds from one event to another around a launch, of each further launch, and of a small memset or copy before it:
/// measured on an H200.
constexpr double first_launch = 2.4e-6, next_launch = 1.4e-6, move = 0.9e-6;
/// Seconds more of a kernel's first launch: its code, too, comes from DRAM. Blocks that load 4 MiB take 1.2 µs longer than
/// blocks that do nothing and as many loads.
constexpr double first_code = 0.8e-6;

/// What a line asks of a resource, in any unit that lines of one launch share.
double weight(const simt::LineCounters &c, Resource resource, const Architecture &a) {
  const auto of = [](std::uint64_t n) { return static_cast<double>(n); };
  const double shared = of(c.shared_load.compiled_wavefronts + c.shared_store.compiled_wavefronts);
  switch (resource) {
    case Resource::issue:
    case Resource::launch:
      return of(c.warp_instructions);
    case Resource::arithmetic:
      return of(c.fp32_flops()) + of(c.tensor_flops) + 2 * of(c.fp64_fma) + of(c.fp64_add + c.fp64_mul);
    case Resource::load_store:
      return shared + std::max(of(c.global_requests()), of(c.sectors()) / 4) + of(c.atomic_requests);
    case Resource::l2:
    case Resource::dram:
      return of(c.sectors()) + of(c.global_atomics);
    case Resource::latency:
      return of(c.global_load.requests) * a.l2_latency + of(c.shared_load.requests) * a.shared_latency +
             of(c.warp_instructions);
  }
  return 0;
}

std::vector<LineShare> shares(const Call &call, const Prediction &p, const Architecture &a) {
  std::map<simt::SourceLine, double> lines;
  double all = 0;
  for (std::size_t i = 0; i < call.launches.size(); ++i) {
    std::map<simt::SourceLine, double> here;
    double sum = 0;
    for (const run::SampledBlock &b : call.launches[i].blocks)
      for (const auto &[at, counters] : b.counters.lines) {
        const double w = static_cast<double>(b.stands_for) * weight(counters, p.launches[i].limit, a);
        here[at] += w;
        sum += w;
      }
    if (sum <= 0) continue;
    for (const auto &[at, w] : here) lines[at] += w / sum * p.launches[i].seconds;
    all += p.launches[i].seconds;
  }
  std::vector<LineShare> sorted;
  for (const auto &[at, w] : lines)
    if (w > 0) sorted.push_back({at, w / all});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LineShare &x, const LineShare &y) { return x.share > y.share; });
  return sorted;
}

}  // namespace

std::string_view name_of(Resource r) {
  switch (r) {
    case Resource::issue:
      return "instruction issue";
    case Resource::arithmetic:
      return "arithmetic units";
    case Resource::load_store:
      return "shared-memory and L1 wavefronts";
    case Resource::l2:
      return "L2 bandwidth";
    case Resource::dram:
      return "DRAM bandwidth";
    case Resource::latency:
      return "latency";
    case Resource::launch:
      return "launch overhead";
  }
  return "";
}

namespace {

/// With call.registers, or with an estimate if they are not known.
Prediction predict_once(const Call &call, const Machine &machine) {
  Prediction p;
  if (call.launches.empty()) {
    p.why_not = "nothing is launched";
    return p;
  }
  for (const run::SampledLaunch &launch : call.launches)
    if (const auto at =
            call.module == nullptr ? std::nullopt : waits_for_others(*call.module, launch.kernel)) {
      p.why_not = fmt::format(
          "{}, a loop waits for what other threads write, and a prediction runs a few blocks alone",
          at->line > 0 ? fmt::format("in line {}", at->line) : "in the kernel");
      return p;
    }
  L2Contents l2 = l2_before(machine);
  for (const std::uint64_t bytes : call.moves)
    p.seconds += move + static_cast<double>(bytes) / (machine.gpu.memory_gb_per_s * 1e9);
  std::set<std::string> met;
  double wider = 0, greatest = 0;
  bool irregular = false, cut = false;
  double local = 0, atomic = 0, instructions = 0;
  std::size_t alike = 0;  // launches before this one that were the same, one after the other
  for (const run::SampledLaunch &launch : call.launches) {
    for (const run::SampledBlock &block : launch.blocks) {
      local += static_cast<double>(block.counters.local_accesses);
      atomic += static_cast<double>(block.counters.atomic_requests);
      instructions += static_cast<double>(block.counters.warp_instructions);
    }
    alike = !p.launches.empty() && launch == *(&launch - 1) ? alike + 1 : 0;
    if (alike > 1) {  // the one before found the L2 cache as this one does
      p.launches.push_back(LaunchPrediction(p.launches.back()));
    } else {
      p.launches.push_back(predict_launch(call, launch, machine, l2));
      LaunchPrediction &made = p.launches.back();
      const double launching = (p.launches.size() == 1 ? first_launch : next_launch) +
                               (met.insert(launch.kernel).second ? first_code : 0);
      if (made.seconds < launching) made.limit = Resource::launch;
      made.seconds += launching;
    }
    p.seconds += p.launches.back().seconds;
    if (p.launches.back().seconds > greatest)
      greatest = p.launches.back().seconds, p.limit = p.launches.back().limit;
    if (!launch.exact) irregular = true, wider = std::max(wider, std::min(1.0, launch.spread));
    cut = cut || launch.path.cut;
  }
  const auto note = [&](bool holds, double by, const char *sentence) {
    if (!holds) return;
    wider += by;
    p.caveats.emplace_back(sentence);
  };
  note(irregular, 0.05, "The blocks of this kernel differ, so a few of them do not represent all.");
  note(cut, 0.1, "A warp takes more steps than the prediction follows.");
  note(!call.registers, 0.15,
       "This compiler does not say how many registers a thread takes; as many as its PTX has are assumed, at "
       "most 64.");
  const bool spills = std::any_of(p.launches.begin(), p.launches.end(),
                                  [](const LaunchPrediction &l) { return l.local > least_local; });
  note(call.spill_bytes > 0 && spills, 0.8,
       "The kernel spills registers in its main loop; how many of them the first-level cache holds is a "
       "guess.");
  note(call.spill_bytes == 0 && local > least_local * instructions, 0.35,
       "Threads use arrays in local memory, whose latency is not followed.");
  note(atomic > least_atomic * instructions, 0.1,
       "Atomic operations on the same word wait for each other; how often is known from a few of them only.");
  note(!machine.architecture.measured_here, 0.2,
       "The model was fitted on an H200 and has never been compared with this GPU.");
  const double interval = usual_interval + wider;
  p.low = p.seconds / (1 + interval);
  p.high = p.seconds * (1 + interval);
  p.lines = shares(call, p, machine.architecture);
  return p;
}

}  // namespace

Prediction predict(const Call &call, const Machine &machine) {
  Prediction p = predict_once(call, machine);
  if (call.registers || !p.why_not.empty()) return p;
  // With few registers, twice as many blocks fit: the interval holds both.
  Call fewer = call;
  fewer.registers = 32;
  const Prediction other = predict_once(fewer, machine);
  p.low = std::min(p.low, other.low);
  p.high = std::max(p.high, other.high);
  return p;
}

}  // namespace warpgrade::predict
