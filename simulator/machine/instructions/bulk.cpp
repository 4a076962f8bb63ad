// Bulk copies of compute capability 9.0: cp.async.bulk between global and shared memory, one copy for each
// thread that executes it. A copy to shared memory is read now and arrives when the phase of its mbarrier
// ends. A copy to global memory is written now; a thread that changes its source before the wait for its group is
// reported at the wait.
//
// Bulk copies do not pass through the load/store unit, so they are no requests and cost no sectors there;
// their bytes are counted separately.
#include "machine/instructions/bulk.hpp"

#include <fmt/format.h>

#include "machine/checks/warpgroup_checks.hpp"
#include "machine/lanes.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t unit = bulk_unit;

std::uint32_t size_of(const Op &op, const BlockRun &run, std::uint32_t lane) {
  const auto bytes = static_cast<std::uint32_t>(run.value(op.c, lane, false));
  if (bytes % unit != 0)
    run.fail(run.diagnostic(
        Code::misaligned, Severity::error, run.here(lane, op),
        fmt::format("a bulk copy of {} bytes: the size must be a multiple of {}", bytes, unit)));
  return bytes;
}

}  // namespace

void need_same_block(const LaneAccess &store, const Target &target, const Mbarrier &barrier) {
  if (&barrier.owner() != (target.owner ? target.owner : &store.run))
    store.run.fail(
        store.run.diagnostic(Code::barrier_divergence, Severity::error, store.run.here(store.lane, store.op),
                             "a copy to shared memory that an mbarrier counts has to complete at an mbarrier "
                             "of the block to which it copies"));
}

void send_to_shared(const LaneAccess &store, const Target &target, const std::byte *data,
                    const Mbarrier &barrier) {
  need_same_block(store, target, barrier);
  if (target.owner) {
    const std::uint64_t starter =
        store.run.context.now_cell | std::uint64_t{store.op.site} << 12 | std::uint64_t{store.lane};
    RemoteCopy copy{static_cast<std::uint32_t>(target.offset), store.bytes, barrier.offset(), starter, {}};
    std::memcpy(copy.data, data, store.bytes);
    if (store.op.plain != &store_async) check_overwritten_in_cluster(store, target);
    check_remote(store, target, false, true);
    return target.owner->add_remote_copy(copy);
  }
  PendingCopy copy;
  copy.to = static_cast<std::uint32_t>(target.offset);
  copy.bytes = store.bytes;
  copy.site = store.op.site;
  copy.lane = static_cast<std::uint8_t>(store.lane);
  copy.barrier = barrier.offset();
  std::memcpy(copy.data, data, store.bytes);
  if (store.op.plain != &store_async) check_overwritten(store, target.offset);
  check_shared(store, target.offset, false, true);
  check_released(store, target.offset);
  store.run.warp->copies.push_back(copy);
}

void write_global(const LaneAccess &store, const Target &target, const std::byte *data) {
  std::memcpy(target.host, data, store.bytes);
  if (target.allocation->valid)
    std::memset(target.allocation->valid.get() + (store.address - target.allocation->begin), 1, store.bytes);
  store.run.tally().touch(*target.allocation, Touch::store, store.address, store.bytes);
  store.run.count(store.site).bulk_stored += store.bytes;
}

std::vector<std::uint32_t> receivers_of(const Op &op, const Site &site, BlockRun &run, std::uint32_t lane) {
  if (!site.multicast) return {own_block};
  const std::uint64_t mask = run.value(site.rows[7], lane, false) & 0xFFFF;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < most_blocks_of_cluster; ++rank) {
    if (!(mask >> rank & 1)) continue;
    if (!run.block_of_rank(rank))
      run.fail(run.diagnostic(
          Code::out_of_bounds, Severity::error, run.here(lane, op),
          fmt::format(
              "the mask of a multicast, {:#x}, names the block of rank {}, which the cluster does not "
              "have",
              mask, rank)));
    ranks.push_back(rank);
  }
  return ranks;
}

std::uint64_t address_in(std::uint32_t rank, std::uint64_t address) {
  if (rank == own_block) return address;
  return (address & ~(std::uint64_t{255} << rank_shift)) | std::uint64_t{rank + 1} << rank_shift;
}

/// [shared a + immediate], [global b + from_offset], bytes c, [mbarrier e + barrier_offset]
void fetch_bulk(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site to_shared = seen_as(Site::Action::store, ptx::Space::shared, site);
  const Site from_global = seen_as(Site::Action::load, ptx::Space::global, site);
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint32_t bytes = size_of(op, run, lane);
    const std::uint64_t from = run.value(op.b, lane, true) + site.from_offset;
    const std::uint64_t barrier_at = run.value(op.e, lane, site.wide_barrier) + site.barrier_offset;
    bool first = true;  // a multicast reads once
    for (const std::uint32_t rank : receivers_of(op, site, run, lane)) {
      Mbarrier barrier(op, context, lane, address_in(rank, barrier_at), false);
      for (std::uint32_t at = 0; at < bytes; at += unit) {
        const LaneAccess load{op, from_global, run, lane, from + at, unit, false};
        const LaneAccess store{op, to_shared, run, lane, address_in(rank, to[lane]) + at, unit, true};
        Target source, target;
        if (!try_resolve(load, source) || !try_resolve(store, target)) continue;
        if (first) {
          check_valid(load, source);
          check_global(load, source, false, nullptr);
          check_global_proxy(load, source);
          run.tally().touch(*source.allocation, Touch::load, from + at, unit);
          run.count(site).bulk_loaded += unit;
        }
        send_to_shared(store, target, source.host, barrier);
      }
      first = false;
      barrier.bring(bytes);
    }
  }
}

/// [shared of any block of the cluster a + immediate], [own shared b + from_offset], bytes c, [mbarrier e +
/// barrier_offset]. The source is read now.
void pass_bulk(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site to_shared = seen_as(Site::Action::store, ptx::Space::shared, site);
  const Site from_shared = seen_as(Site::Action::load, ptx::Space::shared, site);
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint32_t bytes = size_of(op, run, lane);
    const std::uint64_t from = run.value(op.b, lane, false) + site.from_offset;
    Mbarrier barrier(op, context, lane, run.value(op.e, lane, site.wide_barrier) + site.barrier_offset,
                     false);
    for (std::uint32_t at = 0; at < bytes; at += unit) {
      const LaneAccess load{op, from_shared, run, lane, from + at, unit, false};
      const LaneAccess store{op, to_shared, run, lane, to[lane] + at, unit, true};
      Target source, target;
      if (!try_resolve(load, source) || !try_resolve(store, target)) continue;
      check_shared(load, source.offset, false, false);
      check_proxy(load, source.offset);
      send_to_shared(store, target, source.host, barrier);
    }
    barrier.bring(bytes);
  }
}

/// st.async: [shared of any block of the cluster a + immediate], the rows of the site, [mbarrier e +
/// barrier_offset]
void store_async(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    std::byte data[unit];
    for (std::uint32_t e = 0; e < site.elements; ++e) {
      const std::uint64_t value = run.value(site.rows.at(e), lane, site.wide.at(e));
      std::memcpy(data + std::size_t{e} * site.bytes, &value, site.bytes);
    }
    Mbarrier barrier(op, context, lane, run.value(op.e, lane, site.wide_barrier) + site.barrier_offset,
                     false);
    const LaneAccess store{op, site, run, lane, to[lane], site.copy_bytes, true};
    Target target;
    if (try_resolve(store, target)) send_to_shared(store, target, data, barrier);
    barrier.bring(site.copy_bytes);
  }
}

/// [global a + immediate], [shared b + from_offset], bytes c
void send_bulk(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site from_shared = seen_as(Site::Action::load, ptx::Space::shared, site);
  const Site to_global = seen_as(Site::Action::store, ptx::Space::global, site);
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint32_t bytes = size_of(op, run, lane);
    const std::uint64_t from = run.value(op.b, lane, false) + site.from_offset;
    PendingSend send;
    send.site = op.site;
    send.lane = static_cast<std::uint8_t>(lane);
    for (std::uint32_t at = 0; at < bytes; at += unit) {
      const LaneAccess load{op, from_shared, run, lane, from + at, unit, false};
      const LaneAccess store{op, to_global, run, lane, to[lane] + at, unit, true};
      Target source, target;
      if (!try_resolve(load, source) || !try_resolve(store, target)) continue;
      check_shared(load, source.offset, false, false);
      check_proxy(load, source.offset);
      check_overwritten_in_global(store, target);
      check_global(store, target, false, source.host);
      send.add(source.offset, source.host);
      write_global(store, target, source.host);
    }
    run.warp->sends.push_back(std::move(send));
  }
}

void commit_bulk(const Op &, Context &context) {
  Warp &warp = *context.run->warp;
  for (PendingSend &send : warp.sends)
    if (!send.committed && (context.mask >> send.lane & 1)) {
      send.committed = true;
      send.group = warp.committed_sends[send.lane];
    }
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) ++warp.committed_sends[first_lane(rest)];
}

void wait_bulk(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  Warp &warp = *run.warp;
  std::erase_if(warp.sends, [&](const PendingSend &send) {
    if (!(context.mask >> send.lane & 1) || !send.committed ||
        send.group + op.immediate >= warp.committed_sends[send.lane])
      return false;
    if (!send.is_unchanged(context.shared)) {
      const Site &site = run.program.sites[send.site];
      run.fail(run.diagnostic(Code::race, Severity::error,
                              run.side(warp.index, send.lane, run.line_of(site.location)),
                              "shared memory was changed while a bulk copy still read it: wait for the copy "
                              "(cp.async.bulk.wait_group.read) before the memory is used again"));
    }
    return true;
  });
}

/// The block ends. Its shared memory may be given to another block while bulk copies still read it.
void BlockRun::look_for_sends() {
  for (const Warp &one : warps_)
    for (const PendingSend &send : one.sends) {
      const std::uint64_t handle = std::uint64_t{0x5E} << 56 | send.site;
      if (findings.enough_of_warnings() || count_known(handle, Code::race, Severity::warning)) continue;
      note(diagnostic(Code::race, Severity::warning,
                      side(one.index, send.lane, line_of(program.sites[send.site].location)),
                      "the block may end while a bulk copy still reads its shared memory: the thread that "
                      "started the "
                      "copy has to wait for it (cp.async.bulk.wait_group.read 0) before it returns"),
           handle);
    }
}

}  // namespace warpgrade::simt
