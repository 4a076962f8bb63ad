#include "machine/checks/mbarrier_order.hpp"

#include <algorithm>

#include "machine/warp.hpp"

namespace warpgrade::simt {

MbarrierOrder::Phases &MbarrierOrder::of(std::uint32_t barrier) {
  const auto [at, fresh] = phases_.try_emplace(barrier);
  if (fresh) at->second.number = std::min(static_cast<std::uint32_t>(phases_.size()), most_mbarriers) - 1;
  return at->second;
}

void MbarrierOrder::initialize(std::uint32_t barrier) {
  Phases &phases = of(barrier);
  const std::uint32_t number = phases.number;
  phases = {};
  phases.number = number;
}

void MbarrierOrder::arrive(std::uint32_t barrier, const Released &released, std::uint32_t warp, bool whole) {
  Phases &phases = of(barrier);
  phases.coming.join(released, global_.tracked());
  if (whole)
    phases.meet |= 1u << warp;
  else
    phases.some_part = true;
}

void MbarrierOrder::arrive_from_other_block(std::uint32_t barrier, const Released &released) {
  of(barrier).of_others.join(released, global_.tracked());
}

void MbarrierOrder::acquire(std::uint32_t barrier, const Warp &w, std::uint32_t lanes, bool all,
                            const Site &site, bool others) {
  const Phases &phases = of(barrier);
  acquire(phases.over, w, lanes, all, site.acquires);
  if (others) acquire(phases.over_of_others, w, lanes, all, site.acquires);
}

void MbarrierOrder::acquire(const Released &released, const Warp &w, std::uint32_t lanes, bool all,
                            bool acquires) {
  if (global_.tracked()) join_order(global_.of(w.index), released.order);
  if (acquires)
    clocks_.acquire(w, lanes, all, released.seen);
  else if (flags_.used())
    flags_.add_pending(w.index, released.seen);
}

std::uint64_t MbarrierOrder::add_copy(std::uint32_t barrier, std::uint64_t starter) {
  Phases &phases = of(barrier);
  const std::uint64_t site = starter >> 12 & cell_sites;
  phases.started[static_cast<std::uint32_t>(site)] = starter;
  return site << 12 | writer_pending | phases.number;
}

std::uint64_t MbarrierOrder::starter_of(std::uint64_t writer) const {
  const auto site = static_cast<std::uint32_t>(writer >> 12 & cell_sites);
  for (const auto &[barrier, phases] : phases_) {
    if (phases.number != (writer & cell_thread)) continue;
    if (const auto known = phases.started.find(site); known != phases.started.end()) return known->second;
  }
  return writer & ~std::uint64_t{writer_pending | cell_thread};
}

std::uint32_t MbarrierOrder::end_phase(std::uint32_t barrier, std::uint32_t time, bool in_cluster) {
  Phases &phases = of(barrier);
  const std::uint32_t meet = phases.some_part ? 0 : phases.meet;
  const bool tracked = global_.tracked();
  phases.over.join(phases.coming, tracked);
  phases.coming.seen = {};
  if (tracked) phases.coming.order = {};
  if (in_cluster) {
    phases.over_of_others.join(phases.of_others, tracked);
    phases.of_others = {};
  }
  phases.meet = 0;
  phases.some_part = false;
  phases.over.seen.before[warps_of_block + phases.number] = time;
  return meet;
}

}  // namespace warpgrade::simt
