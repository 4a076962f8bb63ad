#include "predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "predict/latency.hpp"

namespace warpgrade::predict {

namespace {

/// What was fitted on the rows of tools/prediction/measured-h200.csv that say so; see docs/prediction.md.
struct Fitted {
  double issue = 0.85;       ///< share of the issue slots that kernels reach
  double load_store = 0.98;  ///< of the load and store unit
  double dram = 0.93;        ///< of the data sheet's bandwidth
  double latency = 0.72;     ///< of the path of a block: its warps are not all at the same place
  double overlap = 12;       ///< exponent with which demands on several resources add up: nearly the greatest
  double hiding = 1.95;      ///< the same for demands and latencies
  double launch_us = 2.0;    ///< of each launch
  double interval = 0.35;    ///< about seven of eight measured times lay within this share
};
constexpr Fitted fitted;

constexpr int estimated_registers = 64;
constexpr double least_spills = 0.02;  ///< accesses for each FFMA that make a prediction doubtful
constexpr double least_local = 0.01;   ///< the same of accesses to local memory, for each instruction
constexpr double least_atomic = 0.02;  ///< atomic operations for each instruction, likewise
constexpr double kib = 1024;

double soft_max(std::initializer_list<double> values, double exponent) {
  const double greatest = std::max(values);
  if (greatest <= 0) return 0;
  double sum = 0;
  for (const double v : values) sum += std::pow(std::max(v, 0.0) / greatest, exponent);
  return greatest * std::pow(sum, 1 / exponent);
}

/// Per request of this access, how many lines of 128 bytes, each of which takes the cache a cycle.
struct Access {
  double requests = 0, sectors = 0, lines_per_sector = 1;
  double lines() const { return std::max(requests, sectors * lines_per_sector); }
};

double lines_per_sector(const simt::LaneSample &s) {
  std::set<std::int64_t> lines;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane) {
    if (((s.mask >> lane) & 1) == 0 || s.offsets[lane] < 0) continue;
    for (std::int64_t at = s.offsets[lane]; at < s.offsets[lane] + s.bytes; at += 32) lines.insert(at / 128);
  }
  return s.cost == 0 ? 1.0 : static_cast<double>(lines.size()) / s.cost;
}

class LaunchModel {
 public:
  LaunchModel(const Call &call, const run::SampledLaunch &launch, const Machine &machine)
      : call_(call), launch_(launch), machine_(machine), a_(machine.architecture) {
    blocks_ = static_cast<double>(launch.grid.x) * launch.grid.y * launch.grid.z;
    warps_ = std::ceil(static_cast<double>(launch.block.x) * launch.block.y * launch.block.z / 32);
    result_.kernel = launch.kernel;
    const double mean = average([](const simt::Counters &c) { return c.warp_instructions; });
    for (const run::SampledBlock &b : launch.blocks)
      if (mean > 0) heavy_ = std::max(heavy_, static_cast<double>(b.counters.warp_instructions) / mean);
  }

  LaunchPrediction run() {
    occupy();
    demand();
    traffic();
    const simt::Path &path = launch_.path;
    const double requests = average([](const simt::Counters &c) {
      return c.shared_requests() + c.global_requests() + c.local_accesses + c.atomic_requests;
    });
    const double memory = requests > 0 ? warps_ * result_.load_store / requests : 0;
    const LoadHits hits{result_.l1_hits, l2_hits_};
    const Slots slots{std::max(1.0, warps_ / a_.issue), memory};
    result_.latency = path_cycles(*call_.module, path, a_, hits, slots);
    time();
    return result_;
  }

 private:
  /// Of an average block.
  template <class Value>
  double average(const Value &value) const {
    double sum = 0;
    for (const run::SampledBlock &b : launch_.blocks)
      sum += static_cast<double>(b.stands_for) * static_cast<double>(value(b.counters));
    return sum / blocks_;
  }
  double of_class(simt::InstructionClass c) const {
    return average([&](const simt::Counters &x) { return x.by_class[static_cast<std::size_t>(c)]; });
  }

  void occupy() {
    const ptx::KernelFacts *facts = nullptr;
    for (const ptx::KernelFacts &k : call_.module->kernels)
      if (k.name == launch_.kernel) facts = &k;
    const double registers = call_.registers.value_or(estimated_registers);
    const double static_shared = facts == nullptr ? 0 : facts->static_shared_bytes;
    const double reserved = a_.shared_kib > 96 ? kib : 0;  // from compute capability 8.0 on, by the system
    const double shared = static_shared + launch_.dynamic_shared_bytes;
    shared_per_block_ = shared > 0 ? shared + reserved : 0;
    result_.resident = a_.blocks;
    result_.resident_limit = "blocks";
    const auto limit = [&](double fit, const char *name) {
      const int whole = std::max(1, static_cast<int>(std::min(fit, 1e6)));
      if (whole < result_.resident) result_.resident = whole, result_.resident_limit = name;
    };
    limit(a_.warps / warps_, "threads");
    const double per_warp = std::ceil(registers / 8) * 8 * 32;
    limit(std::floor(65536 / per_warp / 4) * 4 / warps_, "registers");
    if (shared_per_block_ > 0) limit(a_.shared_kib * kib / shared_per_block_, "shared memory");
    result_.waves = blocks_ / (static_cast<double>(result_.resident) * machine_.gpu.multiprocessors);
  }

  void demand() {
    using C = simt::InstructionClass;
    const auto spills = call_.spills.find(launch_.kernel);
    if (call_.spill_bytes > 0 && spills != call_.spills.end())
      spilled_ = spills->second * average([](const simt::Counters &c) { return c.fp32_fma; }) / 32;
    const double memory = spilled_ + average([](const simt::Counters &c) {
                            return c.shared_load.compiled_requests + c.shared_store.compiled_requests +
                                   c.global_requests() + c.local_accesses + c.atomic_requests;
                          });
    const double computed = of_class(C::single) + of_class(C::twice) + of_class(C::half);
    const double around = of_class(C::integer) + of_class(C::conversion);
    result_.issue =
        (computed + memory + of_class(C::tensor) + of_class(C::control) + of_class(C::cooperation) + around) /
        a_.issue;
    const double tensor = average([](const simt::Counters &c) { return c.tensor_flops; });
    result_.arithmetic = of_class(C::single) / a_.fp32 + of_class(C::twice) / a_.fp64 +
                         of_class(C::half) / a_.fp32 + tensor / a_.tensor_flops;
    const double shared = average([](const simt::Counters &c) {
      return c.shared_load.compiled_wavefronts + c.shared_store.compiled_wavefronts;
    });
    const double local =
        average([](const simt::Counters &c) { return c.local_load.bytes + c.local_store.bytes; }) / 128;
    const double atomics = average([](const simt::Counters &c) { return c.atomic_requests; });
    for (const run::SampledBlock &b : launch_.blocks)
      for (const auto &[key, counts] : b.counters.accesses) {
        if (key.space != ptx::Space::global) continue;
        Access &access = accesses_[key];
        const double weight = static_cast<double>(b.stands_for) / blocks_;
        access.requests += weight * static_cast<double>(counts.global.requests);
        access.sectors += weight * static_cast<double>(counts.global.sectors);
      }
    double global = 0;
    for (auto &[key, access] : accesses_) {
      double sum = 0, count = 0;
      for (const simt::LaneSample &s : call_.samples)
        if (s.at == key.at && s.space == key.space && s.store == key.store && s.bytes == key.bytes &&
            s.buffer == key.buffer)
          sum += lines_per_sector(s), count += 1;
      if (count > 0) access.lines_per_sector = sum / count;
      global += access.lines();
    }
    result_.load_store = (shared + local + spilled_ + global + atomics) / a_.wavefronts;
  }

  void traffic() {
    double loaded = 0, in_flight = 0;
    for (const auto &[key, access] : accesses_) {
      if (key.store || access.requests == 0) continue;
      loaded += access.sectors;
      in_flight += access.lines() / access.requests * 128;
    }
    double unique = 0;
    for (const run::SharedSectors &s : launch_.sectors) unique += static_cast<double>(s.one.loaded);
    const double cache = std::max(4 * kib, a_.shared_kib * kib - result_.resident * shared_per_block_);
    const double working_set = in_flight * warps_ * result_.resident;
    const double kept = working_set > cache ? cache / working_set : 1;
    result_.l1_hits = loaded > unique ? kept * (1 - unique / loaded) : 0;
    const double stored = average([](const simt::Counters &c) { return c.global_store.sectors; });
    const double atomics =
        average([](const simt::Counters &c) { return static_cast<double>(c.global_atomics); });
    result_.l2_bytes = 32 * blocks_ * (loaded * (1 - result_.l1_hits) + stored + atomics);
    const double spill_area = static_cast<double>(call_.spill_bytes) / 2 * warps_ * 32 * result_.resident;
    if (spill_area > cache) result_.l2_bytes += 128 * blocks_ * spilled_ * (1 - cache / spill_area);
    dram();
  }

  /// Distinct bytes of `x` times `y` neighbouring blocks, from those of one, two and four.
  double distinct(double x, double y) const {
    double bytes = 0;
    for (const run::SharedSectors &s : launch_.sectors) {
      const auto of = [](const simt::UniqueSectors &u) { return static_cast<double>(u.touched); };
      const double along_x = of(s.along_x) - of(s.one), along_y = of(s.along_y) - of(s.one);
      const double corner = of(s.square) - of(s.one) - along_x - along_y;
      double buffer = 32 * (of(s.one) + (x - 1) * along_x + (y - 1) * along_y + (x - 1) * (y - 1) * corner);
      const auto known = call_.buffer_bytes.find(s.buffer);
      if (known != call_.buffer_bytes.end()) buffer = std::min(buffer, static_cast<double>(known->second));
      bytes += std::max(buffer, 32 * of(s.one));
    }
    return bytes;
  }

  /// What the L2 cache can hold is read once; of more, every wave of blocks reads its own part.
  void dram() {
    const double x = launch_.grid.x, y = blocks_ / x;
    const double once = distinct(x, y);
    result_.dram_bytes = once;
    const double wave = blocks_ / result_.waves;
    const double each = distinct(std::min(wave, x), std::max(1.0, std::ceil(wave / x)));
    if (result_.waves > 1 && once > a_.l2_mib * kib * kib)
      result_.dram_bytes = std::clamp(result_.waves * each, once, std::max(once, result_.l2_bytes));
    if (result_.l2_bytes > 0) l2_hits_ = std::clamp(1 - result_.dram_bytes / result_.l2_bytes, 0.0, 1.0);
  }

  void time() {
    const double clock = machine_.clock_mhz * 1e6, chips = machine_.gpu.multiprocessors;
    const double issue = result_.issue / fitted.issue, arithmetic = result_.arithmetic;
    const double load_store = result_.load_store / fitted.load_store;
    const double l2 = result_.l2_bytes / blocks_ / a_.l2_bytes;
    const double block = soft_max({issue, arithmetic, load_store, l2}, fitted.overlap);
    const double alone = fitted.latency * result_.latency;
    const auto round = [&](double together) {
      return together == 0 ? 0 : soft_max({together * block, alone}, fitted.hiding);
    };
    const double most = std::ceil(blocks_ / chips), resident = result_.resident;
    // The block with the most work takes its time, however few there are.
    const double heaviest = soft_max({block * heavy_, alone * heavy_}, fitted.hiding);
    const double cycles =
        std::max(std::floor(most / resident) * round(resident) + round(std::fmod(most, resident)), heaviest);
    const double bandwidth = machine_.dram_gb_per_s.value_or(machine_.gpu.memory_gb_per_s * fitted.dram);
    const double dram = result_.dram_bytes / (bandwidth * 1e9);
    const double launch = fitted.launch_us * 1e-6;
    result_.seconds = soft_max({cycles / clock, dram}, fitted.overlap) + launch;
    const double busy = most * block / clock;
    const std::array<std::pair<double, Resource>, 5> shared = {{{issue, Resource::issue},
                                                                {arithmetic, Resource::arithmetic},
                                                                {load_store, Resource::load_store},
                                                                {l2, Resource::l2},
                                                                {0, Resource::latency}}};
    result_.limit = std::max_element(shared.begin(), shared.end())->second;
    if (alone > std::min(most, resident) * block) result_.limit = Resource::latency;
    if (dram > std::max(busy, cycles / clock)) result_.limit = Resource::dram;
    if (launch > result_.seconds / 2) result_.limit = Resource::launch;
  }

  const Call &call_;
  const run::SampledLaunch &launch_;
  const Machine &machine_;
  const Architecture &a_;
  double blocks_ = 1, warps_ = 1, shared_per_block_ = 0;
  double heavy_ = 1;    ///< instructions of the block with the most of them, over the average
  double spilled_ = 0;  ///< accesses of warps of a block to spilled registers
  double l2_hits_ = 1;  ///< of what a wave reads, the share that earlier waves left in the L2 cache
  std::map<simt::AccessKey, Access> accesses_;
  LaunchPrediction result_;
};

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

Prediction predict(const Call &call, const Machine &machine) {
  Prediction p;
  if (call.launches.empty()) {
    p.why_not = "nothing is launched";
    return p;
  }
  double wider = 0, greatest = 0;
  bool irregular = false, cut = false;
  double local = 0, atomic = 0, instructions = 0;
  for (const run::SampledLaunch &launch : call.launches) {
    for (const run::SampledBlock &block : launch.blocks) {
      local += static_cast<double>(block.counters.local_accesses);
      atomic += static_cast<double>(block.counters.atomic_requests);
      instructions += static_cast<double>(block.counters.warp_instructions);
    }
    p.launches.push_back(LaunchModel(call, launch, machine).run());
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
  note(irregular, 0.05, "The blocks of this kernel differ, so a few of them do not stand for all.");
  note(cut, 0.1, "A warp takes more steps than the prediction follows.");
  note(!call.registers, 0.15,
       "This compiler does not say how many registers a thread takes; 64 are assumed.");
  const bool spills = std::any_of(call.spills.begin(), call.spills.end(),
                                  [](const auto &kernel) { return kernel.second > least_spills; });
  note(call.spill_bytes > 0 && spills, 0.8,
       "The kernel spills registers in its main loop; how many of them the first-level cache holds is a "
       "guess.");
  note(local > least_local * instructions, 0.35,
       "Threads use arrays in local memory, whose latency is not followed.");
  note(atomic > least_atomic * instructions, 1.5,
       "Atomic operations on the same word wait for each other, which is not followed.");
  note(!machine.architecture.measured_here, 0.2,
       "The model was fitted on an H200 and has never been compared with this GPU.");
  const double interval = fitted.interval + wider;
  p.low = p.seconds / (1 + interval);
  p.high = p.seconds * (1 + interval);
  p.lines = shares(call, p, machine.architecture);
  return p;
}

}  // namespace warpgrade::predict
