// Bulk copies of compute capability 9.0: cp.async.bulk between global and shared memory, one copy for each
// thread that executes it. A copy to shared memory is read now and arrives when the phase of its mbarrier
// ends. A copy to global memory is written now; whoever changes its source before its group was waited for is
// found at the wait.
//
// Bulk copies do not pass through the load/store unit, so they are no requests and cost no sectors there; the
// bytes count as loaded or stored.
#include <fmt/format.h>

#include <cstring>

#include "simt/lanes.hpp"
#include "simt/mbarrier.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t unit = 16;  // sizes and addresses are multiples of it

std::uint32_t size_of(const Op &op, const BlockRun &run, std::uint32_t lane) {
  const auto bytes = static_cast<std::uint32_t>(run.value(op.c, lane, false));
  if (bytes % unit != 0)
    run.fail(run.diagnostic(
        Code::misaligned, Severity::error, run.here(lane, op),
        fmt::format("a bulk copy of {} bytes: the size must be a multiple of {}", bytes, unit)));
  return bytes;
}

/// The same instruction, as an access to one of the two spaces.
Site as(Site::Action action, ptx::Space space, const Site &site) {
  Site made = site;
  made.action = action, made.space = space;
  return made;
}

}  // namespace

/// [shared a + immediate], [global b + from_offset], bytes c, [mbarrier e + barrier_offset]
void fetch_bulk(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site to_shared = as(Site::Action::store, ptx::Space::shared, site);
  const Site from_global = as(Site::Action::load, ptx::Space::global, site);
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint32_t bytes = size_of(op, run, lane);
    const std::uint64_t from = run.value(op.b, lane, true) + site.from_offset;
    Mbarrier barrier(op, context, lane, run.value(op.e, lane, site.wide_barrier) + site.barrier_offset,
                     false);
    for (std::uint32_t at = 0; at < bytes; at += unit) {
      const LaneAccess load{op, from_global, run, lane, from + at, unit, false};
      const LaneAccess store{op, to_shared, run, lane, to[lane] + at, unit, true};
      Target source, target;
      if (!try_resolve(load, source) || !try_resolve(store, target)) continue;
      check_valid(load, source);
      check_global(load, source, false, nullptr);
      PendingCopy copy;
      copy.to = static_cast<std::uint32_t>(target.offset);
      copy.bytes = unit;
      copy.site = op.site;
      copy.lane = static_cast<std::uint8_t>(lane);
      copy.barrier = barrier.offset();
      std::memcpy(copy.data, source.host, unit);
      run.tally().touch(*source.allocation, Touch::load, from + at, unit);
      check_shared(store, target.offset, false, true);
      run.warp->copies.push_back(copy);
    }
    barrier.bring(bytes);
  }
}

/// [global a + immediate], [shared b + from_offset], bytes c
void send_bulk(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site from_shared = as(Site::Action::load, ptx::Space::shared, site);
  const Site to_global = as(Site::Action::store, ptx::Space::global, site);
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
      check_global(store, target, false, source.host);
      if (send.data.empty()) send.from = static_cast<std::uint32_t>(source.offset);
      send.data.insert(send.data.end(), source.host, source.host + unit);
      std::memcpy(target.host, source.host, unit);
      if (target.allocation->valid)
        std::memset(target.allocation->valid.get() + (to[lane] + at - target.allocation->begin), 1, unit);
      run.tally().touch(*target.allocation, Touch::store, to[lane] + at, unit);
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
    if (!send.data.empty() &&
        std::memcmp(context.shared + send.from, send.data.data(), send.data.size()) != 0) {
      const Site &site = run.program.sites[send.site];
      run.fail(run.diagnostic(Code::race, Severity::error,
                              run.side(warp.index, send.lane, run.line_of(site.location)),
                              "shared memory was changed while a bulk copy still read it: wait for the copy "
                              "(cp.async.bulk.wait_group.read) before the memory is used again"));
    }
    return true;
  });
}

}  // namespace warpgrade::simt
