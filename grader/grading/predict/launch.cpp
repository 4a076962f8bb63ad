#include "predict/launch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "predict/atomics.hpp"
#include "predict/lanes.hpp"
#include "predict/program.hpp"

namespace warpgrade::predict {

namespace {

/// What was fitted on the rows of tools/prediction/measured-h200.csv that say so; see docs/prediction.md.
struct Fitted {
  double issue = 0.9;          ///< share of the issue slots that kernels reach
  double request = 1.05;       ///< least cycles of the load and store unit for a request to global memory
  double partial_store = 1.8;  ///< sectors that L2 could move besides, while it writes a part of one
  double near_end = 1.35;      ///< of the near part of the L2 cache: data of which it keeps nothing
  double dirty = 0.33;         ///< of the L2 cache: what was written before, and must go to DRAM to make room
  double overlap = 12;  ///< exponent with which demands on several resources add up: nearly the greatest
  double dram_queue = 65, dram_turn = 450;  ///< cycles; see wait_of()
};
constexpr Fitted fitted;

constexpr double short_blocks = 4e5;  ///< instructions of three blocks in each place, up to which all are run
constexpr double busy = 0.6;          ///< share of the time from which on a resource limits
constexpr double busy_dram = 0.75;    ///< the same of DRAM
/// Cycles from block to block of the unit that starts them on all multiprocessors: 132000 empty blocks take 82 µs on an H200.
constexpr double cycles_per_block = 1.22;
constexpr double rarely = 0.5;    ///< share of the time up to which requests do not queue for DRAM
constexpr double l1_kept = 0.75;  ///< of the first-level cache, while warps take turns by chance; fitted
constexpr double several = 2;     ///< atomic requests of a block
constexpr double kept_between =
    0.9;  ///< of the L2 cache, what a launch leaves there for the next one; assumed
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
  double requests = 0, sectors = 0, lines_per_sector = 1, used = 1;
  double passes = 1;  ///< of a warp whose lanes access more than 4 bytes each
  double lines() const { return std::max(requests * passes, sectors * lines_per_sector); }
};

class LaunchModel {
 public:
  LaunchModel(const Call &call, const run::SampledLaunch &launch, const Machine &machine, L2Contents &l2)
      : call_(call), launch_(launch), machine_(machine), a_(machine.architecture), l2_(l2) {
    blocks_ = static_cast<double>(launch.grid.x) * launch.grid.y * launch.grid.z;
    warps_ = std::ceil(static_cast<double>(launch.block.x) * launch.block.y * launch.block.z / 32);
    result_.kernel = launch.kernel;
    if (const auto code = call.machine_code.find(launch.kernel); code != call.machine_code.end())
      code_ = &code->second;
    const double mean = average([](const simt::Counters &c) { return c.warp_instructions; });
    for (const run::SampledBlock &b : launch.blocks)
      if (mean > 0) heavy_ = std::max(heavy_, static_cast<double>(b.counters.warp_instructions) / mean);
  }

  LaunchPrediction run() {
    occupy();
    if (code_ != nullptr) program_ = machine_program(*code_, *call_.module, launch_.path, a_);
    if (program_.empty()) program_ = ptx_program(*call_.module, launch_.path, a_);
    demand();
    atomics();
    traffic();
    needs_.block_interval = cycles_per_block * machine_.gpu.multiprocessors;
    needs_.issue = result_.issue / fitted.issue;
    needs_.arithmetic = result_.arithmetic;
    // A first wave finds nothing in the L2 cache but what it has brought there itself.
    for (std::size_t i = 0; i < needs_.loads.size(); ++i) needs_.loads[i].cold = cold_[i].first;
    result_.latency = round_cycles(program_, a_, needs_, 1, 1, static_cast<int>(warps_));
    time();
    if (program_.machine_code)
      result_.local = program_.count[static_cast<std::size_t>(Kind::local)] / program_.instructions;
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
    double registers = call_.registers ? *call_.registers : registers_of_ptx(*call_.module, launch_.kernel);
    if (code_ != nullptr && code_->registers > 0) registers = code_->registers;
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
    const double memory = average([](const simt::Counters &c) {
      return c.shared_load.compiled_requests + c.shared_store.compiled_requests + c.global_requests() +
             c.local_accesses + c.atomic_requests;
    });
    const double computed = of_class(C::single) + of_class(C::twice) + of_class(C::half);
    const double around = of_class(C::integer) + of_class(C::conversion);
    result_.issue =
        (computed + memory + of_class(C::tensor) + of_class(C::control) + of_class(C::cooperation) + around) /
        a_.issue;
    const double flops = average([](const simt::Counters &c) { return c.tensor_flops; });
    const double tensor =
        flops > 0 ? flops / (a_.tensor_flops * tensor_share()) : 0;  // older GPUs have no tensor cores
    result_.arithmetic =
        of_class(C::single) / a_.fp32 + of_class(C::twice) / a_.fp64 + of_class(C::half) / a_.fp32 + tensor;
    if (program_.machine_code) {
      result_.issue = program_.instructions * warps_ / a_.issue;
      const auto busy_with = [&](Pipe p) {
        return program_.busy[static_cast<std::size_t>(p)] * warps_ / a_.issue;
      };
      const double halves = a_.fp32 / a_.issue * 2;
      result_.arithmetic =
          std::max({(busy_with(Pipe::fma) + busy_with(Pipe::fma_heavy)) / halves, busy_with(Pipe::fma_heavy),
                    busy_with(Pipe::alu), busy_with(Pipe::fp64), busy_with(Pipe::special), tensor});
    }
    needs_.tensor = tensor;
    const double shared = average([](const simt::Counters &c) {
      return c.shared_load.compiled_wavefronts + c.shared_store.compiled_wavefronts;
    });
    const double local =
        program_.machine_code
            ? program_.count[static_cast<std::size_t>(Kind::local)] * warps_
            : average([](const simt::Counters &c) { return c.local_load.bytes + c.local_store.bytes; }) / 128;
    for (const run::SampledBlock &b : launch_.blocks)
      for (const auto &[key, counts] : b.counters.accesses) {
        if (key.space != ptx::Space::global) continue;
        Access &access = accesses_[key];
        const double weight = static_cast<double>(b.stands_for) / blocks_;
        access.passes = std::max(1.0, static_cast<double>(key.bytes) / 4);
        access.requests += weight * static_cast<double>(counts.global.requests);
        access.sectors += weight * static_cast<double>(counts.global.sectors);
      }
    double global = 0, stores = 0;
    for (auto &[key, access] : accesses_) {
      double sum = 0, used = 0, count = 0;
      for (const simt::LaneSample &s : call_.samples)
        if (s.at == key.at && s.space == key.space && s.store == key.store && s.bytes == key.bytes &&
            s.buffer == key.buffer)
          sum += lines_per_sector(s), used += used_of_sectors(s), count += 1;
      if (count > 0) access.lines_per_sector = sum / count, access.used = used / count;
      (key.store ? stores : global) += std::max(access.lines(), access.requests * fitted.request);
    }
    result_.load_store = (shared + local + global + stores) / a_.wavefronts;
    needs_.shared_loads =
        average([](const simt::Counters &c) { return c.shared_load.compiled_wavefronts; }) / a_.wavefronts;
    needs_.shared_stores =
        average([](const simt::Counters &c) { return c.shared_store.compiled_wavefronts; }) / a_.wavefronts;
    loads_.cycles = global / a_.wavefronts;
    needs_.global_stores = stores / a_.wavefronts;
  }

  /// Warps alone keep the tensor cores of a Hopper GPU less busy than groups of four: 2713 of 4096 operations in a cycle, as
  /// measured on an H200.
  double tensor_share() const {
    for (const ptx::Function &f : call_.module->functions)
      if (f.name == launch_.kernel)
        for (const ptx::Instruction &i : f.instructions)
          if (i.opcode.starts_with("wgmma")) return 1;
    return std::string_view(a_.compute_capability) == "9.0" ? 2713.0 / 4096 : 1;
  }

  /// What atomic operations of a block cost the load and store unit, and those of all blocks the L2 cache.
  void atomics() {
    const AtomicCost cost = atomics_of(call_, launch_);
    double at_l2 = 0;
    for (const auto &[buffer, cycles] : cost.at_l2) at_l2 += cycles / parallel_lines(buffer);
    needs_.shared_atomics = cost.shared / a_.wavefronts;
    needs_.global_atomics = cost.global / a_.wavefronts;
    result_.load_store += needs_.shared_atomics + needs_.global_atomics;
    atomic_cycles_ = at_l2 * blocks_;
    atomic_overlap_ = cost.global > several ? 1.5 : 4;
  }

  /// So many lines of 128 bytes of this buffer are updated at the same time. The slices of the L2 cache take turns, and a
  /// few lines are not spread over them evenly; measured on an H200.
  double parallel_lines(const std::string &buffer) const {
    double lines = 1;
    for (const run::SharedSectors &s : launch_.sectors)
      if (s.buffer == buffer)
        lines = std::max(
            1.0, distinct(s, launch_.grid.x, blocks_ / launch_.grid.x, &simt::UniqueSectors::touched) / 128);
    return lines <= 2 ? lines : std::max(2.0, 1 / (1.7 / lines + 1.0 / 148));
  }

  void traffic() {
    double loaded = 0, in_flight = 0, requests = 0, alone = 0;
    double parts = 0;  // of sectors: what writing only a part of them costs L2 besides
    for (const auto &[key, access] : accesses_) {
      if (key.store && access.used < 1) parts += fitted.partial_store * access.sectors;
      if (key.store || access.requests == 0) continue;
      loaded += access.sectors;
      requests += access.requests;
      alone += access.requests * (1 - access.used);
      in_flight += access.lines() / access.requests * 128;
    }
    double unique = 0;
    for (const run::SharedSectors &s : launch_.sectors) unique += together(s);
    const double cache = std::max(4 * kib, a_.shared_kib * kib - result_.resident * shared_per_block_);
    const double working_set = in_flight * warps_ * result_.resident;
    const double kept = working_set > cache ? cache / working_set : 1;
    const simt::Reuse reuse = launch_.path.reuse();
    room_ =
        l1_kept * cache /
        (32 * warps_ * std::min<double>(result_.resident, std::ceil(blocks_ / machine_.gpu.multiprocessors)) *
         shared_by_warps());
    const double again = far_again(reuse), of_a_warp = all_of(reuse);
    const double far = of_a_warp > 0 ? again / of_a_warp : 0;
    const double fetched = std::min(loaded, unique + far * loaded * shared_by_warps());
    result_.l1_hits = loaded > 0 ? kept * (1 - fetched / loaded) : 0;
    const double stored =
        parts + average([](const simt::Counters &c) { return static_cast<double>(c.global_store.sectors); });
    result_.l2_bytes = 32 * blocks_ * (loaded * (1 - result_.l1_hits) + stored);
    const double spill_area = static_cast<double>(call_.spill_bytes) / 2 * warps_ * 32 * result_.resident;
    loads_.bytes = 32 * loaded * (1 - result_.l1_hits);
    needs_.stored = 32 * stored;
    loads_.l1_hits = requests > 0 ? kept * alone / requests : 0;
    double of_a_block = 0;
    for (const run::SharedSectors &s : launch_.sectors) of_a_block += static_cast<double>(s.one.loaded);
    const double missed = loaded * (1 - loads_.l1_hits);
    if (missed > 0) loads_.shared = kept * std::max(0.0, 1 - of_a_block / missed);
    loads_.cold = fresh(reuse);
    if (spill_area > cache) needs_.local_misses = 1 - cache / spill_area;
    result_.l2_bytes +=
        blocks_ * 128 * program_.count[static_cast<std::size_t>(Kind::local)] * warps_ * needs_.local_misses;
    dram();
    describe_loads(kept);
  }

  /// Gives each load of the program what its line of the PTX does. All of them together do what was counted.
  void describe_loads(double kept) {
    std::map<std::int32_t, std::uint32_t> numbers;
    std::map<std::string, double> of_a_warp;  // sectors, by buffer
    for (const simt::LineLoads &l : launch_.path.loads)
      of_a_warp[l.buffer] += static_cast<double>(l.sectors.first);
    needs_.loads.assign(1, loads_);
    cold_.assign(1, {loads_.cold, later_cold() * loads_.cold});
    double cycles = 0, bytes = 0;
    for (const simt::LineLoads &l : launch_.path.loads) {
      const double requests = all_of(l.requests);
      if (requests == 0) continue;
      numbers[l.line] = static_cast<std::uint32_t>(needs_.loads.size());
      const double far = far_again(l.requests), first = static_cast<double>(l.requests.first);
      Needs::Load load;
      const double passes = static_cast<double>(l.bytes) / 4, lines = static_cast<double>(l.lines) / requests;
      load.cycles = std::max({fitted.request, passes, lines}) / a_.wavefronts;
      load.l1_hits = kept * (1 - (first + far) / requests);
      const double alone = alone_of(l.buffer, of_a_warp[l.buffer]);
      load.shared = kept * (1 - alone);
      load.bytes = 32 * (static_cast<double>(l.sectors.first) * alone + far_again(l.sectors)) / requests;
      needs_.loads.push_back(load);
      const double cold = fresh(l.requests) * (1 - near(l.buffer));
      cold_.emplace_back(cold, later_cold(l.buffer) * cold);
    }
    const std::vector<double> executed = program_.executed();
    std::vector<double> times(needs_.loads.size());
    for (std::size_t i = 0; i < executed.size(); ++i) {
      Program::Step &s = program_.steps[i];
      if (s.kind != Kind::global_load && s.kind != Kind::copy) continue;
      const auto found = numbers.find(s.line);
      if (found != numbers.end()) s.load = found->second;
      times[s.load] += executed[i];
    }
    double all = 0;
    for (const double t : times) all += t;
    if (all == 0) return;
    needs_.loads[0].cycles /= all * warps_, needs_.loads[0].bytes /= all * warps_;
    for (std::size_t i = 0; i < times.size(); ++i)
      cycles += times[i] * needs_.loads[i].cycles, bytes += times[i] * needs_.loads[i].bytes;
    for (Needs::Load &l : needs_.loads) {
      if (cycles > 0) l.cycles *= loads_.cycles / (warps_ * cycles);
      if (bytes > 0) l.bytes *= loads_.bytes / (warps_ * bytes);
    }
  }

  static double all_of(const simt::Reuse &r) {
    double all = static_cast<double>(r.first);
    for (const std::uint64_t n : r.again) all += static_cast<double>(n);
    return all;
  }

  /// The sectors of this buffer that a block loads, over those that its warps load if no two of them load the same.
  double alone_of(const std::string &buffer, double of_a_warp) const {
    for (const run::SharedSectors &s : launch_.sectors)
      if (s.buffer == buffer && of_a_warp > 0)
        return std::clamp(static_cast<double>(s.one.loaded) / (warps_ * of_a_warp), 1 / warps_, 1.0);
    return shared_by_warps();
  }

  /// The sectors that a block loads, over those that its warps load if no two of them load the same.
  double shared_by_warps() const {
    const auto first = static_cast<double>(launch_.path.reuse().first);
    double block = 0;
    for (const run::SharedSectors &s : launch_.sectors) block += static_cast<double>(s.one.loaded);
    return first > 0 ? std::clamp(block / (warps_ * first), 1 / warps_, 1.0) : 1;
  }

  /// How much of this a warp had loaded before, but so long ago that the first-level cache no longer has it.
  double far_again(const simt::Reuse &reuse) const {
    double far = 0;
    for (std::size_t i = 0; i < reuse.again.size(); ++i)
      if (std::ldexp(0.75, static_cast<int>(i)) > room_) far += static_cast<double>(reuse.again[i]);
    return far;
  }

  /// Of this, what waits as long as for DRAM (0) or also makes DRAM work (1), since all resident warps have loaded more than
  /// the near part of the L2 cache, or all of it, keeps.
  std::array<double, 2> far_from_l2(const simt::Reuse &reuse) const {
    const double l2 = a_.l2_mib * kib * kib;
    const double warps = std::min(blocks_, blocks_ / result_.waves) * warps_ * shared_by_warps();
    std::array<double, 2> far{};
    for (std::size_t i = 0; i < reuse.again.size(); ++i) {
      const double sectors = std::ldexp(0.75, static_cast<int>(i));
      if (sectors <= room_) continue;
      const double share = 32 * sectors * warps / l2, count = static_cast<double>(reuse.again[i]);
      far[0] += count * std::clamp((a_.l2_parts * share - 1) / (fitted.near_end - 1), 0.0, 1.0);
      far[1] += count * std::clamp((share - 0.7) / 0.6, 0.0, 1.0);
    }
    return far;
  }

  /// Of what a warp loads from L2, the share that neither it nor another block had loaded before, or lately.
  double fresh(const simt::Reuse &reuse) const {
    const double first = static_cast<double>(reuse.first), all = first + far_again(reuse);
    if (all <= 0) return 1 - launch_.loaded_before;
    return (first * (1 - launch_.loaded_before) + far_from_l2(reuse)[0]) / all;
  }

  /// Distinct sectors that a block loads, less what the blocks beside it on its multiprocessor load as well.
  double together(const run::SharedSectors &s) const {
    const auto of = [](const simt::UniqueSectors &u) { return static_cast<double>(u.loaded); };
    // After the first ones, a block starts wherever another ends: a random choice of those that run.
    const double n =
        std::clamp(blocks_ / machine_.gpu.multiprocessors, 1.0, static_cast<double>(result_.resident));
    const double across = launch_.grid.x,
                 down = std::max(1.0, std::ceil(n * machine_.gpu.multiprocessors / across));
    const auto different = [&](double places) { return places * (1 - std::pow(1 - 1 / places, n)); };
    const double x = different(across), y = different(down);
    const double along_x = of(s.along_x) - of(s.one), along_y = of(s.along_y) - of(s.one);
    const double corner = of(s.square) - of(s.one) - along_x - along_y;
    const double all =
        of(s.one) + (x - 1) * along_x + (y - 1) * along_y + std::max(0.0, n - x - y + 1) * corner;
    return std::min(of(s.one), all / n);
  }

  /// Distinct bytes of `x` times `y` neighbouring blocks, from those of one, two and four.
  double distinct(double x, double y, std::uint64_t simt::UniqueSectors::*which) const {
    double bytes = 0;
    for (const run::SharedSectors &s : launch_.sectors) bytes += distinct(s, x, y, which);
    return bytes;
  }
  double distinct(const run::SharedSectors &s, double x, double y,
                  std::uint64_t simt::UniqueSectors::*which) const {
    const auto of = [&](const simt::UniqueSectors &u) { return static_cast<double>(u.*which); };
    const double along_x = of(s.along_x) - of(s.one), along_y = of(s.along_y) - of(s.one);
    const double corner = of(s.square) - of(s.one) - along_x - along_y;
    double bytes = 32 * (of(s.one) + (x - 1) * along_x + (y - 1) * along_y + (x - 1) * (y - 1) * corner);
    const auto known = call_.buffer_bytes.find(s.buffer);
    if (known != call_.buffer_bytes.end()) bytes = std::min(bytes, static_cast<double>(known->second));
    return std::max(bytes, 32 * of(s.one));
  }

  struct Moved {
    double loaded = 0, stored = 0, touched = 0;  ///< distinct bytes
    double all() const { return std::max(loaded + stored, touched); }
  };
  Moved moved(double x, double y) const {
    using U = simt::UniqueSectors;
    return {distinct(x, y, &U::loaded), distinct(x, y, &U::stored), distinct(x, y, &U::touched)};
  }

  /// What the L2 cache can hold is read once; of more, every wave of blocks reads its own part, unless all
  /// that two rows of blocks touch stays in the cache. What is stored is written once, also where it was read
  /// before.
  void dram() {
    const double x = launch_.grid.x, y = blocks_ / x;
    const Moved once = moved(x, y);
    result_.dram_bytes = once.all();
    const double wave = std::min(blocks_, blocks_ / result_.waves);
    const Moved first = moved(std::min(wave, x), std::max(1.0, std::ceil(wave / x)));
    const double l2 = a_.l2_mib * kib * kib;
    const bool fits = once.touched <= l2 || moved(x, 2).touched <= l2;
    if (result_.waves > 1 && !fits)
      result_.dram_bytes =
          std::clamp(result_.waves * first.all(), once.all(), std::max(once.all(), result_.l2_bytes));
    result_.dram_bytes += 32 * far_from_l2(launch_.path.reuse())[1] * warps_ * shared_by_warps() * blocks_;
    // Earlier launches left a part of it in the cache, whose other data must be written back to make room.
    const double near = there_already(l2), own = std::max(0.0, result_.dram_bytes - near);
    const double dirty = fitted.dirty * l2, touched = std::max(1.0, once.touched);
    const double made_room = l2_.dirty * std::min(1.0, std::max(0.0, once.touched - near) / l2);
    const double kept = once.stored * std::min(1.0, dirty / touched);
    const double written = made_room + once.stored - kept;
    const double read = std::max(0.0, own - once.stored);
    written_share_ = written / std::max(1.0, read + written);
    l2_.dirty = std::min(dirty, l2_.dirty - made_room + kept);
    dram_seconds_ = (read + written) / (machine_.dram_gb_per_s(read / std::max(1.0, read + written)) * 1e9);
    result_.dram_bytes = own;
    leave(l2);
    // Several blocks read or write the same bytes, which DRAM moves once.
    const auto share = [&](double bytes, double asked) {
      return asked > 0 ? std::min(1.0, bytes / asked) : 0;
    };
    needs_.dram_loaded = share(first.loaded, wave * loads_.bytes);
    needs_.dram_stored = share(once.stored, blocks_ * needs_.stored);
    if (dram_seconds_ > 0) {
      const double cycles = dram_seconds_ * machine_.clock_mhz * 1e6;
      needs_.dram_bytes = std::max(1.0, own) / (cycles * machine_.gpu.multiprocessors);
      needs_.dram_queue = cycles * std::min(1.0, dirty / std::max(1.0, own));
    }
    // What is near again after a wave of blocks: everything up to the size of that part, and nothing of much more.
    const double of_near = a_.l2_parts * std::min(once.touched, first.touched) / l2;
    lost_ = fits ? std::clamp((of_near - 1) / (fitted.near_end - 1), 0.0, 1.0) : 1;
  }

  /// Bytes that this launch loads and earlier ones left in the L2 cache, by buffer. Of more than the cache holds, what is
  /// loaded first has gone by then.
  double there_already(double l2) {
    double bytes = 0;
    const double x = launch_.grid.x, y = blocks_ / x;
    for (const run::SharedSectors &s : launch_.sectors) {
      const auto found = l2_.of_buffer.find(s.buffer);
      const double loaded = distinct(s, x, y, &simt::UniqueSectors::loaded);
      if (found == l2_.of_buffer.end() || s.one.loaded == 0 || loaded <= 0) continue;
      const double share = std::min(1.0, found->second / loaded);
      near_[s.buffer] = share < 1 ? share * share : 1;
      bytes += loaded * near_[s.buffer];
    }
    return std::min(bytes, l2);
  }
  void leave(double l2) {
    const double x = launch_.grid.x, y = blocks_ / x;
    std::map<std::string, double> here;
    for (const run::SharedSectors &s : launch_.sectors)
      here[s.buffer] =
          std::max(distinct(s, x, y, &simt::UniqueSectors::touched), stored_to(s.buffer, call_, launch_));
    predict::leave(l2_, std::move(here), kept_between * l2);
  }
  double near(const std::string &buffer) const {
    const auto found = near_.find(buffer);
    return found == near_.end() ? 0 : found->second;
  }

  /// Of what blocks of later waves fetch from L2, from this buffer or all, the share that comes from further away. They
  /// start one after another, so of what no block has loaded yet, only the first of those that load it waits. But all of
  /// them wait for what the near part of the cache has lost since the wave before.
  double later_cold(const std::optional<std::string> &buffer = std::nullopt) const {
    if (result_.waves <= 1) return 1;
    const double x = launch_.grid.x, y = blocks_ / x, wave = blocks_ / result_.waves;
    double once = 0, first = 0, each = 0;
    for (const run::SharedSectors &s : launch_.sectors) {
      if (buffer && s.buffer != *buffer) continue;
      once += distinct(s, x, y, &simt::UniqueSectors::loaded);
      first +=
          distinct(s, std::min(wave, x), std::max(1.0, std::ceil(wave / x)), &simt::UniqueSectors::loaded);
      each += 32 * static_cast<double>(s.one.loaded);
    }
    const double fresh = each > 0 ? std::clamp((once - first) / ((blocks_ - wave) * each), 0.0, 1.0) : 1;
    return fresh + (1 - fresh) * lost_;
  }

  /// Cycles of the busiest multiprocessor, where loads wait so long for DRAM because others are served.
  double cycles_with(double wait, double block, double most, double resident) {
    needs_.dram_wait = wait;
    for (std::size_t i = 0; i < needs_.loads.size(); ++i) needs_.loads[i].cold = cold_[i].first;
    const auto run = [&](double together) {
      return std::max(together * block, round_cycles(program_, a_, needs_, static_cast<int>(resident),
                                                     static_cast<int>(together), static_cast<int>(warps_)));
    };
    double all = run(resident);
    for (std::size_t i = 0; i < needs_.loads.size(); ++i) needs_.loads[i].cold = cold_[i].second;
    if (most <= resident) return all;
    const double rest = std::fmod(most, resident);
    if (3 * resident * warps_ * program_.instructions < short_blocks) {
      // Short blocks: where one ends, the next one starts, whatever the others do.
      const double some = run(std::min(most, 3 * resident)) - run(resident);
      return all + some * (most > 3 * resident ? (most - resident) / (2 * resident) : 1);
    }
    return all + (std::floor(most / resident) - 1) * run(resident) + (rest > 0 ? run(rest) : 0);
  }

  /// How long loads wait for DRAM because it serves others: more the busier it is, and where it often turns from
  /// reading to writing. Fitted to what probe.cu measured on an H200 with 1 to 128 KiB in flight for each multiprocessor.
  double wait_of(double busy_share) const {
    const double share = std::min(0.93, busy_share), turns = 4 * written_share_ * (1 - written_share_);
    return a_.dram_latency / 685 *
           (fitted.dram_queue * share / (1 - share) + fitted.dram_turn * share * turns);
  }

  void time() {
    const double clock = machine_.clock_mhz * 1e6, chips = machine_.gpu.multiprocessors;
    const double issue = result_.issue / fitted.issue, arithmetic = result_.arithmetic;
    const double l2 = result_.l2_bytes / blocks_ / a_.l2_bytes;
    const double block = soft_max({issue, arithmetic, result_.load_store, l2}, fitted.overlap);
    const double alone = result_.latency;
    const double most = std::ceil(blocks_ / chips), resident = std::min<double>(result_.resident, most);
    // Where DRAM has time to spare, a multiprocessor gets more than its share while the others compute.
    if (dram_seconds_ * clock < rarely * most * block) needs_.dram_bytes = 0;
    // The block with the most work takes its time, however few there are.
    const double heaviest = std::max(block, alone) * heavy_;
    const double dram = dram_seconds_;
    double all = cycles_with(0, block, most, resident);
    // The longer loads wait, the less DRAM has to do at a time: somewhere between, both agree.
    double least = 0, greatest_share = std::min(1.0, dram * clock / all);
    if (greatest_share > 0.1)
      for (int i = 0; i < 6; ++i) {
        const double middle = (least + greatest_share) / 2;
        all = cycles_with(wait_of(middle), block, most, resident);
        (std::min(1.0, dram * clock / all) > middle ? least : greatest_share) = middle;
      }
    const double cycles = std::max(all, heaviest), atomics = atomic_cycles_;
    const double others = soft_max({cycles / clock, dram}, fitted.overlap);
    result_.seconds = soft_max({others, atomics / clock}, atomic_overlap_);
    const std::array<std::pair<double, Resource>, 4> shared = {{{result_.issue, Resource::issue},
                                                                {arithmetic, Resource::arithmetic},
                                                                {result_.load_store, Resource::load_store},
                                                                {l2, Resource::l2}}};
    const auto greatest = *std::max_element(shared.begin(), shared.end());
    result_.limit = greatest.first * most < busy * cycles ? Resource::latency : greatest.second;
    if (dram > busy_dram * result_.seconds) result_.limit = Resource::dram;
    if (atomics > busy * std::max(cycles, dram * clock)) result_.limit = Resource::l2;
  }

  const Call &call_;
  const run::SampledLaunch &launch_;
  const Machine &machine_;
  const Architecture &a_;
  const ptx::MachineCode *code_ = nullptr;
  double blocks_ = 1, warps_ = 1, shared_per_block_ = 0;
  double heavy_ = 1;          ///< instructions of the block with the most of them, over the average
  double written_share_ = 0;  ///< of the bytes that DRAM moves
  /// With which the time of atomic operations adds up with the rest: those that a block makes at its end come together, and
  /// other blocks wait for them.
  double atomic_overlap_ = 1;
  double atomic_cycles_ = 0;  ///< that atomic operations take the busiest line of the L2 cache
  L2Contents &l2_;
  std::map<std::string, double>
      near_;                 ///< of each buffer, the share that earlier launches have left in the L2 cache
  double dram_seconds_ = 0;  ///< that DRAM is busy
  double room_ = 0;          ///< sectors for each warp in the first-level cache
  double lost_ = 0;    ///< of what a wave of blocks loads, what the near part of the L2 cache does not keep
  Needs::Load loads_;  ///< all of a block: sums of cycles and bytes, average shares
  /// Of what each of Needs::loads fetches from L2, the share that comes from DRAM: first wave, later ones.
  std::vector<std::pair<double, double>> cold_;
  std::map<simt::AccessKey, Access> accesses_;
  Needs needs_;
  Program program_;
  LaunchPrediction result_;
};

}  // namespace

L2Contents l2_before(const Machine &machine) {
  return {{}, fitted.dirty * machine.architecture.l2_mib * kib * kib};
}

LaunchPrediction predict_launch(const Call &call, const run::SampledLaunch &launch, const Machine &machine,
                                L2Contents &l2) {
  return LaunchModel(call, launch, machine, l2).run();
}

}  // namespace warpgrade::predict
