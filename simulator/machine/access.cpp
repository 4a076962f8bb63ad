// Memory instructions in full generality, lane by lane.
#include <fmt/format.h>

#include <cstring>

#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {

namespace {

void count_local(const Site &site, BlockRun &run, bool store, std::uint64_t bytes) {
  LineCounters &c = run.count(site);
  ++c.local_accesses;
  (store ? c.local_store : c.local_load) += {1, bytes};
}

}  // namespace

void count_request(const Op &op, Context &context, std::uint32_t mask, const std::uint64_t *addresses,
                   const Target *targets) {
  const Site &site = site_of(op, context);
  Tally &tally = context.run->tally();
  const std::uint32_t bytes = bytes_of(site);
  const bool store = site.action == Site::Action::store;
  std::uint32_t global = 0, shared = 0, local = 0;
  std::uint64_t offsets[32] = {};
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest), bit = 1u << lane;
    if (targets[lane].space == ptx::Space::global && site.space != ptx::Space::constant) global |= bit;
    if (targets[lane].space == ptx::Space::shared) shared |= bit;
    if (targets[lane].space == ptx::Space::local) local |= bit;
    offsets[lane] = targets[lane].offset;
  }
  if (local) count_local(site, *context.run, store, bytes * lanes_in(local));
  if (global) {
    const void *buffer = targets[first_lane(global)].allocation;
    for (std::uint32_t rest = global; rest; rest &= rest - 1) {
      const std::uint32_t lane = first_lane(rest);
      if (targets[lane].allocation != buffer) buffer = nullptr;
      tally.touch(*targets[lane].allocation, store ? Touch::store : Touch::load, addresses[lane], bytes);
    }
    tally.of(op.site, ptx::Space::global, buffer).global += global_traffic(addresses, global, bytes);
  }
  if (shared) {
    const void *buffer = targets[first_lane(shared)].variable;
    for (std::uint32_t rest = shared; rest; rest &= rest - 1)
      if (targets[first_lane(rest)].variable != buffer) buffer = nullptr;
    const Wavefronts cost = count_wavefronts(offsets, shared, bytes, store);
    const Wavefronts compiled = count_compiled(site, offsets, shared);
    tally.of(op.site, ptx::Space::shared, buffer).shared += {1,
                                                             cost.wavefronts,
                                                             cost.conflicts,
                                                             bytes * lanes_in(shared),
                                                             site.merged == 0 ? 0u : 1u,
                                                             compiled.wavefronts,
                                                             compiled.conflicts};
  }
}

namespace {

/// The value of a dropped load.
void load_zero(const Site &site, Context &context, std::uint32_t lane) {
  for (std::uint32_t e = 0; e < site.elements; ++e)
    if (site.used[e])
      std::memset(context.rows + site.rows[e] + lane * (site.wide[e] ? 8 : 4), 0, site.wide[e] ? 8 : 4);
}

void load_lane(const Site &site, Context &context, std::uint32_t lane, const std::byte *from) {
  for (std::uint32_t e = 0; e < site.elements; ++e) {
    if (!site.used[e]) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, from + e * site.bytes, site.bytes);
    if (site.is_signed) {
      const int unused = 64 - 8 * site.bytes;
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
    }
    if (site.wide[e])
      std::memcpy(context.rows + site.rows[e] + lane * 8, &value, 8);
    else
      std::memcpy(context.rows + site.rows[e] + lane * 4, &value, 4);
  }
}

void store_lane(const Site &site, Context &context, std::uint32_t lane, std::byte *to) {
  for (std::uint32_t e = 0; e < site.elements; ++e) {
    const std::uint64_t value = context.run->value(site.rows[e], lane, site.wide[e]);
    std::memcpy(to + e * site.bytes, &value, site.bytes);
  }
}

/// Whether an earlier lane of this store wrote the same shared bytes. The winner is undefined unless both
/// agree.
bool repeats_store(const LaneAccess &access, const Target *targets, Context &context) {
  const std::uint64_t offset = targets[access.lane].offset;
  std::uint32_t earlier = context.mask & ((1u << access.lane) - 1);
  for (; earlier; earlier &= earlier - 1) {
    const std::uint32_t lane = first_lane(earlier);
    if (targets[lane].space != ptx::Space::shared || targets[lane].offset != offset ||
        targets[lane].owner != targets[access.lane].owner)
      continue;
    std::byte value[32] = {};
    store_lane(access.site, context, access.lane, value);
    const bool updates = access.site.updates;
    if (!context.writers || context.epoch_cell == UINT64_MAX || (access.site.is_volatile && !updates) ||
        (std::memcmp(value, targets[lane].host, access.bytes) == 0 && !updates))
      return true;
    Diagnostic made = access.run.diagnostic(
        Code::race, Severity::error, access.run.here(access.lane, access.op),
        updates
            ? fmt::format("{} on shared memory: {}", lost_update, update_advice)
            : "write after write on shared memory: two threads of one store write different values to the "
              "same place");
    made.other = access.run.here(lane, access.op);
    for (const SharedVariable &variable : access.run.shared.variables())
      if (offset >= variable.begin && offset < std::uint64_t{variable.begin} + variable.bytes)
        made.buffer = variable.name;
    access.run.note(std::move(made));
    return true;
  }
  return false;
}

bool rises(std::uint32_t mask, const std::uint64_t (&addresses)[32]) {
  std::uint64_t before = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t at = addresses[first_lane(rest)];
    if (at <= before) return false;
    before = at;
  }
  return true;
}

/// Lanes of one store that write different values to one place in global memory.
void look_for_repeats(const Op &op, const Site &site, Context &context, const Target (&targets)[32],
                      const std::uint64_t (&addresses)[32]) {
  if ((site.is_volatile && !site.updates) || context.epoch_cell == UINT64_MAX ||
      rises(context.mask, addresses))
    return;
  BlockRun &run = *context.run;
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const Target &target = targets[lane];
    if (target.space != ptx::Space::global || !target.allocation || !run.watched(*target.allocation, true))
      continue;
    for (std::uint32_t later = rest & (rest - 1); later; later &= later - 1) {
      const std::uint32_t other = first_lane(later);
      if (addresses[other] != addresses[lane]) continue;
      std::byte value[32] = {}, otherwise[32] = {};
      store_lane(site, context, lane, value);
      store_lane(site, context, other, otherwise);
      if (std::memcmp(value, otherwise, bytes) == 0 && !site.updates) continue;
      Diagnostic made = run.diagnostic(
          Code::race, Severity::error, run.here(other, op),
          fmt::format("{} in {}, element {}: {}", site.updates ? lost_update : "write after write",
                      target.allocation->name, (addresses[lane] - target.allocation->begin) / site.bytes,
                      site.updates ? update_advice
                                   : "two threads of one store write different values to the same place"));
      made.other = run.here(lane, op);
      made.buffer = target.allocation->name;
      return run.note(std::move(made));
    }
  }
}

/// Bytes of local memory that are read and have no value.
template <class Offset>
void find_unset(const Op &op, BlockRun &run, std::uint32_t lanes, const Offset &offset, std::uint32_t bytes) {
  bool any = false;
  for (; lanes; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    any |= run.local.fill_unset(run.thread(lane), offset(lane), bytes);
  }
  if (any) run.follow_from(op);
}

/// Whether an element that a lane reads has unwritten bytes.
bool lacks_values(const BlockRun &run, const Site &site, const Target &target, std::uint64_t address) {
  if (target.space == ptx::Space::shared) {
    if (target.owner || !run.context.writers || target.offset < shared_start) return false;
    const std::uint32_t shift = run.cell_shift();
    for (std::uint64_t i = target.offset >> shift; i <= (target.offset + bytes_of(site) - 1) >> shift; ++i)
      if (run.context.writers[i] < run.context.block_cell) return true;
    return false;
  }
  if (target.space != ptx::Space::global || !target.allocation || !target.allocation->valid) return false;
  for (std::uint32_t e = 0; e < site.elements; ++e)
    if (unwritten_part(run, site, target, address, e).bits != 0) return true;
  return false;
}

/// Local memory with all lanes in one array, as is usual. False, with nothing done, if that is not so.
bool access_local(const Op &op, const Site &site, Context &context, const std::uint64_t (&addresses)[32]) {
  BlockRun &run = *context.run;
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements;
  const std::uint64_t first = addresses[first_lane(context.mask)];
  const LocalVariable *variable = nullptr;
  for (const LocalVariable &one : run.program.locals)
    if (first >= one.begin && first < std::uint64_t{one.begin} + one.bytes) variable = &one;
  if (!variable || variable->bytes < bytes) return false;
  const std::uint64_t begin = variable->begin, room = variable->bytes - bytes;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint64_t address = addresses[first_lane(rest)];
    if (address - begin > room || address & (bytes - 1)) return false;
  }
  const bool store = site.action == Site::Action::store;
  if (!store)
    find_unset(
        op, run, context.mask, [&](std::uint32_t lane) { return addresses[lane]; }, bytes);
  count_local(site, run, store, bytes * lanes_in(context.mask));
  const bool word = site.elements == 1 && site.bytes == 4 && !site.wide[0] && site.used[0];
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint64_t at = addresses[lane];
    std::byte *const host = run.local.of(run.thread(lane)) + at;
    if (store) run.local.mark_written(run.thread(lane), at, bytes);
    if (!word)
      store ? store_lane(site, context, lane, host) : load_lane(site, context, lane, host);
    else if (store)
      std::memcpy(host, context.base[site.rows[0] & 1] + site.rows[0] + lane * 4, 4);
    else
      std::memcpy(context.rows + site.rows[0] + lane * 4, host, 4);
  }
  return true;
}

}  // namespace

namespace {

void access_targets(const Op &op, Context &context, const Target (&targets)[32],
                    const std::uint64_t (&addresses)[32]);

}  // namespace

void access_slowly(const Op &op, Context &context) {
  if (context.mask == 0) return;
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const bool store = site.action == Site::Action::store;
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements;
  std::uint64_t addresses[32];
  addresses_of(op, site, context, addresses);
  if (site.space == ptx::Space::local && access_local(op, site, context, addresses)) return;
  Target targets[32];
  const std::uint32_t before = context.mask;
  std::uint32_t dropped = 0;
  for (std::uint32_t rest = before; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    if (try_resolve({op, site, run, lane, addresses[lane], bytes, store}, targets[lane])) continue;
    dropped |= 1u << lane;
    if (!store) load_zero(site, context, lane);
  }
  if (dropped == 0) return access_targets(op, context, targets, addresses);
  if (dropped == before) return;
  set_mask(context, before & ~dropped);
  access_targets(op, context, targets, addresses);
  set_mask(context, before);
}

namespace {

void access_targets(const Op &op, Context &context, const Target (&targets)[32],
                    const std::uint64_t (&addresses)[32]) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const bool store = site.action == Site::Action::store;
  const std::uint32_t bytes = std::uint32_t{site.bytes} * site.elements;
  if (!store) {
    std::uint32_t local = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((context.mask >> lane & 1) && targets[lane].space == ptx::Space::local) local |= 1u << lane;
    find_unset(
        op, run, local, [&](std::uint32_t lane) { return targets[lane].offset; }, bytes);
  }
  if (!store && run.launch.options.check_initialized && !run.findings.enough_unset())
    for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
      if (lacks_values(run, site, targets[first_lane(rest)], addresses[first_lane(rest)])) {
        run.follow_from(op);
        break;
      }
  count_request(op, context, context.mask, addresses, targets);
  if (store) look_for_repeats(op, site, context, targets, addresses);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const Target &target = targets[lane];
    const LaneAccess access{op, site, run, lane, addresses[lane], bytes, store};
    if (target.space == ptx::Space::shared) {
      std::byte value[32];
      if (store) store_lane(site, context, lane, value);
      if (store && repeats_store(access, targets, context)) {
      } else if (target.owner)
        check_remote(access, target, false, false);
      else
        check_shared(access, target.offset, false, false,
                     store && std::memcmp(value, target.host, bytes) == 0);
    } else if (target.space == ptx::Space::global) {
      std::byte value[32];
      if (store)
        store_lane(site, context, lane, value);
      else
        check_valid(access, target);
      check_global(access, target, false, store ? value : nullptr);
      if (site.is_volatile && target.allocation)
        run.order.access_global({site, op.site, lane, addresses[lane]}, !store, store, true);
    } else if (target.space == ptx::Space::local && store) {
      run.local.mark_written(run.thread(lane), target.offset, bytes);
    }
    if (store && site.is_volatile) note_lock(access, target, false, true);
    if (store) {
      const bool watches =
          run.wait_detector.records() && site.is_volatile && target.space == ptx::Space::global;
      std::byte before[32];
      if (watches) std::memcpy(before, target.host, bytes);
      store_lane(site, context, lane, target.host);
      if (watches && std::memcmp(before, target.host, bytes) != 0) run.wait_detector.note_change();
      if (target.allocation && target.allocation->valid)
        std::memset(target.allocation->valid.get() + (addresses[lane] - target.allocation->begin), 1, bytes);
    } else {
      load_lane(site, context, lane, target.host);
      if (site.ticket != UINT32_MAX) {
        std::uint64_t found = 0;
        std::memcpy(&found, target.host, std::min<std::size_t>(site.bytes, sizeof found));
        note_ticket(access, target, found);
      }
    }
  }
}

}  // namespace
}  // namespace warpgrade::simt
