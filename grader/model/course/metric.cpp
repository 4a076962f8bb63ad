#include "course/metric.hpp"

#include <algorithm>
#include <array>

namespace warpgrade::course {

namespace {

using simt::LineCounters;
using Value = std::optional<double>;

Value quotient(double above, double below) {
  if (below == 0) return std::nullopt;
  return above / below;
}
Value quotient(std::uint64_t above, std::uint64_t below) {
  return quotient(static_cast<double>(above), static_cast<double>(below));
}

/// Per flop that the problem needs: idle arithmetic does not improve a quotient.
Value per_flop(std::uint64_t bytes, const Counted &c) {
  return quotient(static_cast<double>(bytes),
                  c.useful_flops > 0 ? c.useful_flops : static_cast<double>(c.counts.fp32_flops()));
}

/// Operations of threads, not of tensor cores. Of two halves at a time, each instruction counts as four
/// flops.
double ordinary_flops(const simt::Counters &c) {
  constexpr std::uint64_t lanes = 32, of_halves = 4;
  const std::uint64_t halves = c.by_class[static_cast<std::size_t>(simt::InstructionClass::half)];
  return static_cast<double>(c.fp32_flops() + 2 * c.fp64_fma + c.fp64_add + c.fp64_mul +
                             lanes * of_halves * halves);
}

/// Per flop that the problem needs, and at most the share that ordinary arithmetic leaves. A sixteenth of
/// the flops is free, for factors and edges: a product on tensor cores needs this for each result, and one
/// without them for each term of each result.
Value tensor_share(const Counted &c) {
  const auto tensor = static_cast<double>(c.counts.tensor_flops);
  const double ordinary = ordinary_flops(c.counts);
  if (ordinary <= c.useful_flops / 16) return quotient(tensor, c.useful_flops);
  return quotient(std::min(tensor, std::max(0.0, c.useful_flops - ordinary)), c.useful_flops);
}

std::uint64_t beyond(std::uint64_t all, std::uint64_t ideal) {
  return all > ideal ? all - ideal : 0;
}

Value zero(const Counted &) {
  return 0;
}
Value one(const Counted &) {
  return 1;
}
Value no_ideal(const Counted &) {
  return std::nullopt;
}
/// Every byte moved once.
Value compulsory(const Counted &c) {
  return per_flop(c.counts.compulsory_bytes(), c);
}

std::uint64_t wasted_load_sectors(const LineCounters &c) {
  return beyond(c.global_load.sectors, c.global_load.ideal_sectors);
}
std::uint64_t wasted_store_sectors(const LineCounters &c) {
  return beyond(c.global_store.sectors, c.global_store.ideal_sectors);
}
std::uint64_t conflicts(const LineCounters &c) {
  return c.conflicts();
}

std::uint64_t no_cost(const LineCounters &) {
  return 0;
}

Value busiest_link_bytes(const Counted &c) {
  return c.links ? Value(static_cast<double>(c.links->busiest_bytes)) : std::nullopt;
}
Value overlap(const Counted &c) {
  return c.links ? quotient(c.links->overlapped_us, c.links->communication_us) : std::nullopt;
}
Value idle_share(const Counted &c) {
  return c.links && !c.links->idle.empty() ? Value(std::ranges::max(c.links->idle)) : std::nullopt;
}
double link_bytes(const run::LinkCounts::Line &l) {
  return static_cast<double>(l.busiest_bytes);
}
double alone_us(const run::LinkCounts::Line &l) {
  return l.alone_us;
}

constexpr std::array table = {
    Metric{Measure::sectors_per_load, "sectors_per_load", "sectors per global load",
           [](const Counted &c) {
             return quotient(c.counts.global_load.sectors, c.counts.global_load.requests);
           },
           [](const Counted &c) {
             return quotient(c.counts.global_load.ideal_sectors, c.counts.global_load.requests);
           },
           wasted_load_sectors},
    Metric{Measure::sectors_per_store, "sectors_per_store", "sectors per global store",
           [](const Counted &c) {
             return quotient(c.counts.global_store.sectors, c.counts.global_store.requests);
           },
           [](const Counted &c) {
             return quotient(c.counts.global_store.ideal_sectors, c.counts.global_store.requests);
           },
           wasted_store_sectors},
    Metric{Measure::load_sectors_over_ideal, "load_sectors_over_ideal", "sectors loaded per sector needed",
           [](const Counted &c) {
             return quotient(c.counts.global_load.sectors, c.counts.global_load.ideal_sectors);
           },
           one, wasted_load_sectors},
    Metric{Measure::store_sectors_over_ideal, "store_sectors_over_ideal", "sectors stored per sector needed",
           [](const Counted &c) {
             return quotient(c.counts.global_store.sectors, c.counts.global_store.ideal_sectors);
           },
           one, wasted_store_sectors},
    Metric{Measure::global_requests, "global_requests", "requests to global memory",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.global_requests()); },
           no_ideal, [](const LineCounters &c) { return c.global_requests(); }},
    Metric{Measure::requested_bytes_per_flop, "requested_bytes_per_flop", "global bytes requested per flop",
           [](const Counted &c) { return per_flop(c.counts.requested_bytes(), c); }, compulsory,
           [](const LineCounters &c) { return c.global_load.bytes + c.global_store.bytes; }},
    Metric{Measure::sector_bytes_per_flop, "sector_bytes_per_flop", "global bytes moved per flop",
           [](const Counted &c) { return per_flop(32 * c.counts.sectors(), c); }, compulsory,
           [](const LineCounters &c) { return c.sectors(); }},
    Metric{Measure::wavefronts_over_ideal, "wavefronts_over_ideal", "wavefronts per wavefront needed",
           [](const Counted &c) {
             return quotient(c.counts.wavefronts(), c.counts.wavefronts() - c.counts.conflicts());
           },
           one, conflicts},
    Metric{Measure::bank_conflicts, "bank_conflicts", "bank conflicts",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.conflicts()); }, zero,
           conflicts},
    Metric{Measure::outputs_per_thread, "outputs_per_thread", "results per thread",
           [](const Counted &c) {
             return c.outputs_per_thread > 0 ? std::optional(c.outputs_per_thread) : std::nullopt;
           },
           no_ideal, no_cost},
    Metric{Measure::lane_efficiency, "lane_efficiency", "share of active lanes",
           [](const Counted &c) { return Value(c.counts.lane_efficiency()); }, one,
           [](const LineCounters &c) { return 32 * c.warp_instructions - c.thread_instructions; }},
    Metric{Measure::local_accesses, "local_accesses", "accesses to local memory",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.local_accesses); }, zero,
           [](const LineCounters &c) { return c.local_accesses; }},
    Metric{Measure::global_atomics, "global_atomics", "atomic operations on global memory",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.global_atomics); }, no_ideal,
           [](const LineCounters &c) { return c.global_atomics; }},
    Metric{Measure::divergent_branches, "divergent_branches", "divergent branches",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.divergent_branches); },
           no_ideal, [](const LineCounters &c) { return c.divergent_branches; }},
    // Asynchronous copies write without one.
    Metric{Measure::shared_stores, "shared_stores", "requests that store to shared memory",
           [](const Counted &c) -> Value { return static_cast<double>(c.counts.shared_store.requests); },
           no_ideal, [](const LineCounters &c) { return c.shared_store.requests; }},
    // More than 1 where products at the edges are wider than the problem needs.
    Metric{Measure::tensor_share, "tensor_share", "tensor core operations per flop", tensor_share, no_ideal,
           [](const LineCounters &c) { return c.fp32_flops(); }},
    Metric{Measure::busiest_link_bytes, "busiest_link_bytes", "bytes on the busiest link", busiest_link_bytes,
           no_ideal, no_cost, link_bytes},
    Metric{Measure::overlap, "overlap", "share of transfers beside kernels", overlap, one, no_cost, alone_us},
    Metric{Measure::idle_share, "idle_share", "idle share of the idlest device", idle_share, no_ideal,
           no_cost},
};
static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].measure != static_cast<Measure>(i)) return false;
  return true;
}());

}  // namespace

std::span<const Metric> metrics() {
  return table;
}

const Metric &metric(Measure measure) {
  return table.at(static_cast<std::size_t>(measure));
}

std::string_view name_of(Measure measure) {
  return metric(measure).name;
}

std::optional<Measure> measure_of(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Metric::name);
  return found == table.end() ? std::nullopt : std::optional(found->measure);
}

std::vector<std::string> measure_names() {
  std::vector<std::string> all;
  for (const Metric &m : table) all.emplace_back(m.name);
  return all;
}

}  // namespace warpgrade::course
