// Keeps requests of memory instructions, for Options::sample_lanes and Options::trace. The handlers of a copy
// of the program are wrapped, so that other launches pay nothing.
#include "machine/sampling.hpp"

#include <algorithm>

#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

/// The space of an address, and its offset there; for global memory, the address itself.
std::pair<ptx::Space, std::uint64_t> place_of(const Site &site, std::uint64_t address) {
  if (site.action == Site::Action::copy_async || site.space == ptx::Space::global)
    return {ptx::Space::global, address};
  if (site.space == ptx::Space::shared) return {ptx::Space::shared, address};
  if (address - shared_window < window_bytes) return {ptx::Space::shared, address - shared_window};
  if (address - local_window < window_bytes) return {ptx::Space::local, address - local_window};
  if (address - param_window < window_bytes) return {ptx::Space::param, address - param_window};
  return {ptx::Space::global, address};
}

/// Addresses in global or shared memory that the lanes load from or store to, and the lanes that do.
std::uint32_t find_addresses(const Op &op, const Site &site, Context &context,
                             std::uint64_t (&addresses)[32]) {
  if (site.action != Site::Action::copy_async) {
    addresses_of(op, site, context, addresses);
    return site.matrices == 0 ? context.mask : context.mask & rows_of(site);
  }
  std::uint32_t reading = 0;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    addresses[lane] = copy_source(op, context, lane);
    if (copy_length(op, site, context, lane) > 0) reading |= 1u << lane;
  }
  return reading;
}

void describe(LaneSample &sample, const Site &site, const Context &context,
              const std::uint64_t (&addresses)[32]) {
  const std::uint32_t first = first_lane(sample.mask);
  const std::uint64_t at = place_of(site, addresses[first]).second;
  std::uint64_t base = 0;
  if (sample.space == ptx::Space::global) {
    const Allocation *found = context.run->launch.memory->find(at, at + sample.bytes);
    if (found == nullptr && context.run->is_traced())  // an access that misses it
      found = context.run->launch.memory->nearest(at);
    if (found != nullptr) sample.buffer = found->name, base = found->begin / 32 * 32;
  } else {
    std::uint64_t lowest = at;
    for (std::uint32_t rest = sample.mask; rest; rest &= rest - 1)
      lowest = std::min(lowest, place_of(site, addresses[first_lane(rest)]).second);
    for (const SharedVariable &variable : context.run->shared.variables()) {
      const auto in_it = [&](std::uint64_t offset) {
        return offset >= variable.begin && offset < std::uint64_t{variable.begin} + variable.bytes;
      };
      if (in_it(at)) sample.buffer = variable.name;
      if (in_it(lowest)) base = variable.begin / 128 * 128;  // the banks stay the same
    }
  }
  std::uint64_t offsets[32] = {};
  sample.offsets.fill(-1);
  for (std::uint32_t rest = sample.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    offsets[lane] = place_of(site, addresses[lane]).second;
    sample.offsets[lane] = static_cast<std::int64_t>(offsets[lane] - base);
  }
  if (sample.space == ptx::Space::global) {
    const GlobalTraffic traffic = global_traffic(offsets, sample.mask, sample.bytes);
    sample.cost = static_cast<std::uint32_t>(traffic.sectors);
    sample.ideal = static_cast<std::uint32_t>(traffic.ideal_sectors);
  } else {
    const Wavefronts wavefronts = count_wavefronts(offsets, sample.mask, sample.bytes, sample.store);
    sample.cost = wavefronts.wavefronts;
    sample.ideal = wavefronts.wavefronts - wavefronts.conflicts;
  }
}

bool is_atomic(const Site &site) {
  return site.action == Site::Action::atomic || site.action == Site::Action::reduce;
}

/// The request that an instruction is about to make in global or shared memory; mask 0 where it makes none.
LaneSample request_of(const Op &op, Context &context) {
  const BlockRun &run = *context.run;
  const Site &site = site_of(op, context);
  std::uint64_t addresses[32] = {};
  std::uint32_t mask = find_addresses(op, site, context, addresses);
  const ptx::Space space = mask ? place_of(site, addresses[first_lane(mask)]).first : ptx::Space::local;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1)
    if (place_of(site, addresses[first_lane(rest)]).first != space) mask &= ~(rest & (0 - rest));
  LaneSample request;
  if (mask == 0 || (space != ptx::Space::global && space != ptx::Space::shared)) return request;
  request.at = run.line_of(op);
  request.space = space;
  request.store = site.action == Site::Action::store;
  request.block = run.block_index();
  request.warp = context.warp;
  request.mask = mask;
  request.bytes = bytes_of(site);
  describe(request, site, context, addresses);
  // Atomics wait for each other, which no pattern tells: whoever wants to know that looks at the lanes.
  if (is_atomic(site)) request.bytes = 0, request.ideal = request.cost;
  if (site.action == Site::Action::copy_async) {
    addresses_of(op, site, context, addresses);
    request.written.assign(32, -1);
    for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      request.written[lane] = static_cast<std::int64_t>(addresses[lane] & (window_bytes - 1));
    }
  }
  return request;
}

/// Reports to the block's recorders what a warp is about to load from global memory.
void note_reuse(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const Site &site = site_of(op, context);
  if (site.action == Site::Action::store || site.space == ptx::Space::shared) return;
  std::uint64_t addresses[32] = {};
  std::uint32_t mask = find_addresses(op, site, context, addresses);
  for (std::uint32_t rest = mask; rest; rest &= rest - 1)
    if (place_of(site, addresses[first_lane(rest)]).first != ptx::Space::global) mask &= ~(rest & (0 - rest));
  if (mask == 0) return;
  if (run.keeps_touched()) run.first_touches.load(context.warp, addresses[first_lane(mask)]);
  if (!run.keeps_path() || context.warp != 0) return;
  const bool is_new = run.reuse.is_new(site.text_line);
  run.reuse.load(site.text_line, addresses, mask, bytes_of(site));
  const std::uint64_t at = addresses[first_lane(mask)];
  const Allocation *from = is_new ? run.launch.memory->find(at, at + 1) : nullptr;
  if (from != nullptr) run.reuse.name(site.text_line, from->name);
}

/// Runs a memory instruction. Before, keeps its request: as a sample if it has more lanes than the one that
/// was kept, and as part of the trace.
void observe_and_run(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const bool atomic = is_atomic(site_of(op, context));
  if (atomic && !run.keeps_path()) return op.plain(op, context);
  const bool traced = run.is_traced() && !atomic;
  LaneSample *kept = run.samples.empty() ? nullptr : &run.samples[op.site];
  if (traced || (kept && lanes_in(context.mask) > lanes_in(kept->mask))) {
    LaneSample request = request_of(op, context);
    if (kept && lanes_in(request.mask) > lanes_in(kept->mask)) *kept = request;
    if (traced && request.mask) run.trace.push_back({std::move(request), run.barriers_of_block()});
  }
  if (!atomic && (run.keeps_path() || run.keeps_touched())) note_reuse(op, context);
  op.plain(op, context);
}

bool is_sampled(const Site &site) {
  if (site.bulk) return false;  // no request of a warp's lanes
  if (site.action == Site::Action::copy_async) return true;
  return (site.action == Site::Action::load || site.action == Site::Action::store || is_atomic(site)) &&
         (site.space == ptx::Space::global || site.space == ptx::Space::shared ||
          site.space == ptx::Space::generic);
}

std::uint64_t number(Dim3 block, Dim3 grid) {
  return (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
}

}  // namespace

std::shared_ptr<const Program> with_samples(const Program &program) {
  auto made = std::make_shared<Program>(program);
  for (Op &op : made->ops) {
    if (!op.accesses_memory || !is_sampled(made->sites[op.site])) continue;
    op.hot = Hot::none;
    if (op.guarded)
      op.guarded = &observe_and_run;
    else
      op.run = op.masked = &observe_and_run;
  }
  return made;
}

std::vector<LaneSample> gather_samples(const std::vector<const std::vector<LaneSample> *> &workers,
                                       Dim3 grid) {
  std::vector<LaneSample> all;
  for (std::size_t site = 0; site < workers.front()->size(); ++site) {
    const LaneSample *best = nullptr;
    for (const auto *worker : workers) {
      const LaneSample &one = (*worker)[site];
      if (one.mask == 0) continue;
      const int more = best ? lanes_in(one.mask) - lanes_in(best->mask) : 1;
      if (more > 0 || (more == 0 && number(one.block, grid) < number(best->block, grid))) best = &one;
    }
    if (best) all.push_back(*best);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const LaneSample &a, const LaneSample &b) { return a.at < b.at; });
  return all;
}

}  // namespace warpgrade::simt
