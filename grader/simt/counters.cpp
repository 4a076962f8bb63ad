#include "simt/counters.hpp"

#include "simt/block_run.hpp"

namespace warpgrade::simt {

std::string_view name_of(InstructionClass one) {
  static constexpr std::string_view names[instruction_classes] = {
      "single", "twice", "half", "integer", "conversion", "memory", "control", "cooperation", "tensor"};
  return names[static_cast<std::size_t>(one)];
}

GlobalTraffic &GlobalTraffic::operator+=(const GlobalTraffic &o) {
  requests += o.requests;
  sectors += o.sectors;
  bytes += o.bytes;
  used_bytes += o.used_bytes;
  ideal_sectors += o.ideal_sectors;
  return *this;
}

SharedTraffic &SharedTraffic::operator+=(const SharedTraffic &o) {
  requests += o.requests;
  wavefronts += o.wavefronts;
  conflicts += o.conflicts;
  bytes += o.bytes;
  compiled_requests += o.compiled_requests;
  compiled_wavefronts += o.compiled_wavefronts;
  compiled_conflicts += o.compiled_conflicts;
  return *this;
}

LocalTraffic &LocalTraffic::operator+=(const LocalTraffic &o) {
  requests += o.requests;
  bytes += o.bytes;
  return *this;
}

LineCounters &LineCounters::operator+=(const LineCounters &o) {
  global_load += o.global_load;
  global_store += o.global_store;
  shared_load += o.shared_load;
  shared_store += o.shared_store;
  local_load += o.local_load;
  local_store += o.local_store;
  atomic_requests += o.atomic_requests;
  global_atomics += o.global_atomics;
  divergent_branches += o.divergent_branches;
  local_accesses += o.local_accesses;
  fp32_fma += o.fp32_fma;
  fp32_add += o.fp32_add;
  fp32_mul += o.fp32_mul;
  fp64_fma += o.fp64_fma;
  fp64_add += o.fp64_add;
  fp64_mul += o.fp64_mul;
  tensor_products += o.tensor_products;
  tensor_flops += o.tensor_flops;
  bulk_loaded += o.bulk_loaded;
  bulk_stored += o.bulk_stored;
  warp_instructions += o.warp_instructions;
  thread_instructions += o.thread_instructions;
  for (std::size_t i = 0; i < instruction_classes; ++i) by_class[i] += o.by_class[i];
  return *this;
}

AccessCounters &AccessCounters::operator+=(const AccessCounters &o) {
  global += o.global;
  shared += o.shared;
  return *this;
}

ProductCounters &ProductCounters::operator+=(const ProductCounters &o) {
  executions += o.executions;
  flops += o.flops;
  return *this;
}

UniqueSectors &UniqueSectors::operator+=(const UniqueSectors &o) {
  loaded += o.loaded;
  stored += o.stored;
  touched += o.touched;
  return *this;
}

Counters &Counters::operator+=(const Counters &o) {
  LineCounters::operator+=(o);
  for (const auto &[line, counters] : o.lines) lines[line] += counters;
  for (const auto &[key, counters] : o.accesses) accesses[key] += counters;
  for (const auto &[key, count] : o.products) products[key] += count;
  unique_sectors += o.unique_sectors;
  barriers += o.barriers;
  return *this;
}

namespace {

LineCounters of_access(const Site &site, const AccessCounters &access) {
  LineCounters c;
  const bool store = site.action == Site::Action::store;
  (store ? c.global_store : c.global_load) = access.global;
  (store ? c.shared_store : c.shared_load) = access.shared;
  return c;
}

std::string name_of(const Tally::Key &key) {
  if (!key.buffer) return {};
  return key.space == ptx::Space::shared ? static_cast<const SharedVariable *>(key.buffer)->name
                                         : static_cast<const Allocation *>(key.buffer)->name;
}

LineCounters of_block(const Block &block, const BlockStatistics &statistics) {
  LineCounters c;
  c.fp32_fma = block.fma32 * statistics.lanes;
  c.fp32_add = block.add32 * statistics.lanes;
  c.fp32_mul = block.mul32 * statistics.lanes;
  c.fp64_fma = block.fma64 * statistics.lanes;
  c.fp64_add = block.add64 * statistics.lanes;
  c.fp64_mul = block.mul64 * statistics.lanes;
  c.tensor_products = block.tensor_products * statistics.executions;
  c.tensor_flops = block.tensor_flops * statistics.executions;
  c.warp_instructions = block.instructions * statistics.executions;
  for (std::size_t i = 0; i < instruction_classes; ++i)
    c.by_class[i] = block.by_class[i] * statistics.executions;
  c.thread_instructions = block.instructions * statistics.lanes;
  return c;
}

void take_off(LineCounters &c, FlopKind kind, std::uint64_t lanes) {
  switch (kind) {
    case FlopKind::none:
      break;
    case FlopKind::fma32:
      c.fp32_fma -= lanes;
      break;
    case FlopKind::add32:
      c.fp32_add -= lanes;
      break;
    case FlopKind::mul32:
      c.fp32_mul -= lanes;
      break;
    case FlopKind::fma64:
      c.fp64_fma -= lanes;
      break;
    case FlopKind::add64:
      c.fp64_add -= lanes;
      break;
    case FlopKind::mul64:
      c.fp64_mul -= lanes;
      break;
  }
}

}  // namespace

Counters BlockRun::counters() {
  Counters total;
  total.barriers = barriers_;
  const auto add = [&](const Site &site, const LineCounters &c) {
    if (c == LineCounters{}) return;
    total.lines[line_of(site.location)] += c;
    static_cast<LineCounters &>(total) += c;
  };
  for (SiteState &state : sites_) tally_.settle(state);
  for (const auto &[key, access] : tally_.accesses()) {
    const Site &site = program.sites[key.site];
    add(site, of_access(site, access));
    total.accesses[{line_of(site.location), key.space, site.action == Site::Action::store, bytes_of(site),
                    name_of(key)}] += access;
  }
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    LineCounters c;
    c.atomic_requests = atomic_requests_[i];
    c.global_atomics = global_atomics_[i];
    c.bulk_loaded = bulk_bytes_[i].loaded;
    c.bulk_stored = bulk_bytes_[i].stored;
    c.local_accesses = local_traffic_[i].requests;
    (program.sites[i].action == Site::Action::store ? c.local_store : c.local_load) = local_traffic_[i];
    add(program.sites[i], c);
  }
  // A block's instructions are shared out by line, so that the lines add up to the whole.
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    if (statistics_[i].executions == 0) continue;
    static_cast<LineCounters &>(total) += of_block(program.blocks[i], statistics_[i]);
    LineCounters parted;
    parted.divergent_branches = statistics_[i].divergences;
    if (parted.divergent_branches == 0) continue;
    total.divergent_branches += parted.divergent_branches;
    total.lines[line_of(program.blocks[i].location)] += parted;
  }
  for (const LineWork &work : program.line_work) {
    const BlockStatistics &statistics = statistics_[work.block];
    if (statistics.executions == 0) continue;
    total.lines[line_of(work.location)] += of_block(work.counts, statistics);
  }
  for (const ProductWork &work : program.products)
    if (const std::uint64_t count = statistics_[work.block].executions; count != 0)
      total.products[{line_of(work.location), work.instruction, work.a_in_shared}] +=
          {count, count * work.flops};
  for (const Program::GuardedFlops &one : program.guarded_flops)
    take_off(total, static_cast<FlopKind>(one.kind), guard_lost_[one.slot]);
  return total;
}

}  // namespace warpgrade::simt
