#include "judge/measure.hpp"

#include <functional>

namespace warpgrade::judge {

namespace {

using course::Measure;
using simt::LineCounters;

std::optional<double> ratio(double above, double below) {
  if (below == 0) return std::nullopt;
  return above / below;
}
std::optional<double> ratio(std::uint64_t above, std::uint64_t below) {
  return ratio(static_cast<double>(above), static_cast<double>(below));
}

/// The flops that the problem needs: idle arithmetic makes no quotient better.
std::optional<double> per_flop(std::uint64_t bytes, const Counted &counted) {
  const double flops =
      counted.useful_flops > 0 ? counted.useful_flops : static_cast<double>(counted.counts.fp32_flops());
  return ratio(static_cast<double>(bytes), flops);
}

std::uint64_t beyond(std::uint64_t all, std::uint64_t ideal) {
  return all > ideal ? all - ideal : 0;
}

/// How much a line adds to what a threshold holds against it.
std::uint64_t cost(Measure measure, const LineCounters &c) {
  switch (measure) {
    case Measure::sectors_per_load:
    case Measure::load_sectors_over_ideal:
      return beyond(c.global_load.sectors, c.global_load.ideal_sectors);
    case Measure::sectors_per_store:
    case Measure::store_sectors_over_ideal:
      return beyond(c.global_store.sectors, c.global_store.ideal_sectors);
    case Measure::global_requests:
      return c.global_requests();
    case Measure::requested_bytes_per_flop:
      return c.global_load.bytes + c.global_store.bytes;
    case Measure::sector_bytes_per_flop:
      return c.sectors();
    case Measure::wavefronts_over_ideal:
    case Measure::bank_conflicts:
      return c.conflicts();
    case Measure::outputs_per_thread:
      return 0;
    case Measure::lane_efficiency:
      return 32 * c.warp_instructions - c.thread_instructions;
    case Measure::local_accesses:
      return c.local_accesses;
    case Measure::global_atomics:
      return c.global_atomics;
    case Measure::divergent_branches:
      return c.divergent_branches;
  }
  return 0;
}

}  // namespace

std::optional<double> value_of(Measure measure, const Counted &counted) {
  const simt::Counters &c = counted.counts;
  switch (measure) {
    case Measure::sectors_per_load:
      return ratio(c.global_load.sectors, c.global_load.requests);
    case Measure::sectors_per_store:
      return ratio(c.global_store.sectors, c.global_store.requests);
    case Measure::load_sectors_over_ideal:
      return ratio(c.global_load.sectors, c.global_load.ideal_sectors);
    case Measure::store_sectors_over_ideal:
      return ratio(c.global_store.sectors, c.global_store.ideal_sectors);
    case Measure::global_requests:
      return static_cast<double>(c.global_requests());
    case Measure::requested_bytes_per_flop:
      return per_flop(c.requested_bytes(), counted);
    case Measure::sector_bytes_per_flop:
      return per_flop(32 * c.sectors(), counted);
    case Measure::wavefronts_over_ideal:
      return ratio(c.wavefronts(), c.wavefronts() - c.conflicts());
    case Measure::bank_conflicts:
      return static_cast<double>(c.conflicts());
    case Measure::outputs_per_thread:
      return counted.outputs_per_thread > 0 ? std::optional(counted.outputs_per_thread) : std::nullopt;
    case Measure::lane_efficiency:
      return c.lane_efficiency();
    case Measure::local_accesses:
      return static_cast<double>(c.local_accesses);
    case Measure::global_atomics:
      return static_cast<double>(c.global_atomics);
    case Measure::divergent_branches:
      return static_cast<double>(c.divergent_branches);
  }
  return std::nullopt;
}

std::optional<double> ideal_of(Measure measure, const Counted &counted) {
  const simt::Counters &c = counted.counts;
  switch (measure) {
    case Measure::sectors_per_load:
      return ratio(c.global_load.ideal_sectors, c.global_load.requests);
    case Measure::sectors_per_store:
      return ratio(c.global_store.ideal_sectors, c.global_store.requests);
    case Measure::load_sectors_over_ideal:
    case Measure::store_sectors_over_ideal:
    case Measure::wavefronts_over_ideal:
    case Measure::lane_efficiency:
      return 1;
    case Measure::bank_conflicts:
    case Measure::local_accesses:
      return 0;
    case Measure::requested_bytes_per_flop:
    case Measure::sector_bytes_per_flop:
      return per_flop(c.compulsory_bytes(), counted);
    case Measure::global_requests:
    case Measure::outputs_per_thread:
    case Measure::global_atomics:
    case Measure::divergent_branches:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<simt::SourceLine> costliest_line(Measure measure, const simt::Counters &counters) {
  std::optional<simt::SourceLine> worst;
  std::uint64_t most = 0;
  for (const auto &[line, c] : counters.lines) {
    const std::uint64_t here = cost(measure, c);
    if (here <= most || line.line == 0) continue;
    most = here;
    worst = line;
  }
  return worst;
}

std::string in_words(Measure measure) {
  switch (measure) {
    case Measure::sectors_per_load:
      return "sectors per global load";
    case Measure::sectors_per_store:
      return "sectors per global store";
    case Measure::load_sectors_over_ideal:
      return "sectors loaded per sector needed";
    case Measure::store_sectors_over_ideal:
      return "sectors stored per sector needed";
    case Measure::global_requests:
      return "requests to global memory";
    case Measure::requested_bytes_per_flop:
      return "global bytes requested per flop";
    case Measure::sector_bytes_per_flop:
      return "global bytes moved per flop";
    case Measure::wavefronts_over_ideal:
      return "wavefronts per wavefront needed";
    case Measure::bank_conflicts:
      return "bank conflicts";
    case Measure::outputs_per_thread:
      return "results per thread";
    case Measure::lane_efficiency:
      return "share of active lanes";
    case Measure::local_accesses:
      return "accesses to local memory";
    case Measure::global_atomics:
      return "atomic operations on global memory";
    case Measure::divergent_branches:
      return "divergent branches";
  }
  return {};
}

}  // namespace warpgrade::judge
